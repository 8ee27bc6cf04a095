import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { chooseReporter } from '../../../runners/cli/choose-reporter.js';
import type { CommandContext } from '../../../runners/cli/command-context.js';
import { fakeClock } from '../../../testing/fake-clock.js';

/** What a terminal of this type is sent when a run begins and goes on. */
async function shown(term: string): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const context = {
    clock: fakeClock(),
    env: { TERM: term },
    stderr: {
      isTerminal: true,
      stream,
      write: async (part: string) => void stream.write(part),
    },
  } as unknown as CommandContext;
  const reporter = await chooseReporter(context, { json: false, quiet: false });
  reporter.onStart?.({
    name: 'n',
    directory: '/runs/n',
    resumed: false,
    concurrency: 2,
    threads: 1,
  });
  reporter.onNotice?.({ level: 'info', code: 'x', message: 'a notice' });
  reporter.onEnd?.();
  await new Promise((resolve) => setImmediate(resolve));
  return text;
}

it('a terminal that cannot move its cursor gets lines', async () => {
  const text = await shown('dumb');
  expect(text).toContain('a notice\n');
  expect(text).not.toContain('\u001b');
});

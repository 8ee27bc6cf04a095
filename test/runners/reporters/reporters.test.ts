import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { barReporter } from '../../../runners/reporters/bar-reporter.js';
import { jsonReporter } from '../../../runners/reporters/json-reporter.js';
import { lineReporter } from '../../../runners/reporters/line-reporter.js';
import { quietReporter } from '../../../runners/reporters/quiet-reporter.js';
import { collector, handClock, progress, rolloutEnd, toolStart } from './reporter-fixture.js';

const start = { name: 'r', directory: 'runs/r', resumed: false, concurrency: 8, threads: 2 };
const warning = { level: 'warning', code: 'x', message: 'Careful.' } as const;
const info = { level: 'info', code: 'x', message: 'By the way.' } as const;

describe('the line reporter', () => {
  it('writes one line of progress every 30 seconds, however often it is told', () => {
    const clock = handClock();
    const out = collector();
    const reporter = lineReporter({ write: out.write, clock });
    for (let quarter = 0; quarter < 4 * 61; quarter++) {
      reporter.onProgress?.(progress());
      clock.advance(250);
    }
    expect(out.text().split('\n')).toHaveLength(3);
  });

  it('writes the last state at the end, and notices at once', () => {
    const out = collector();
    const reporter = lineReporter({ write: out.write, clock: handClock() });
    reporter.onStart?.({ ...start, resumed: true });
    reporter.onNotice?.(warning);
    reporter.onProgress?.(progress({ failed: 2, retries: 3, costUsd: 0.5 }));
    reporter.onEnd?.();
    expect(out.text()).toBe(
      'Resuming r in runs/r: 8 rollouts at once on 2 threads\n' +
        'warning: Careful.\n' +
        '40/100 done, 8 running, 2 failed, 3 retries, 12.4k tokens, $0.50, 40/min, ETA 1 min 30 s\n',
    );
  });
});

describe('a notice that quotes a server, a model or a module', () => {
  const evil = { level: 'error', code: 'x', message: 'a\u001b[2J\u009b31m\u0007b\nc' } as const;

  it.each([
    ['lines', lineReporter],
    ['errors alone', ({ write }: { write: (text: string) => void }) => quietReporter(write)],
  ])('reaches a terminal without escape sequences: %s', (_how, open) => {
    const out = collector();
    open({ write: out.write, clock: handClock() }).onNotice?.(evil);
    expect(out.text()).toBe('error: ab\nc\n');
  });

  it('does so beside the bar', () => {
    const stream = new PassThrough();
    barReporter(stream as unknown as NodeJS.WriteStream).onNotice?.(evil);
    expect(String(stream.read())).toBe('error: ab\nc\n');
  });

  it('is whole as JSON, with escapes', () => {
    const out = collector();
    jsonReporter({ write: out.write, clock: handClock() }).onNotice?.(evil);
    expect(out.text()).not.toContain('\u009b');
    expect(JSON.parse(out.text())).toMatchObject({ message: evil.message });
  });
});

describe('the JSON reporter', () => {
  it('writes objects a line, progress once a second at most, and the last state', () => {
    const clock = handClock();
    const out = collector();
    const reporter = jsonReporter({ write: out.write, clock });
    reporter.onStart?.(start);
    for (let quarter = 0; quarter < 10; quarter++) {
      reporter.onProgress?.(progress({ done: quarter }));
      clock.advance(250);
    }
    reporter.onEvents?.([toolStart('a', 'ls'), rolloutEnd('a', null)]);
    reporter.onNotice?.(info);
    reporter.onEnd?.();
    const lines = out
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; done?: number });
    expect(lines.map((line) => line.type)).toEqual([
      'start',
      'progress',
      'progress',
      'progress',
      'rollout-end',
      'notice',
      'progress',
      'end',
    ]);
    expect(lines.flatMap(({ done }) => (done === undefined ? [] : [done]))).toEqual([0, 4, 8, 9]);
  });
});

describe('the quiet reporter', () => {
  it('passes on warnings and nothing else', () => {
    const out = collector();
    const reporter = quietReporter(out.write);
    reporter.onStart?.(start);
    reporter.onProgress?.(progress());
    reporter.onNotice?.(info);
    reporter.onNotice?.(warning);
    reporter.onEnd?.();
    expect(out.text()).toBe('warning: Careful.\n');
  });
});

describe('the bar', () => {
  it('ends with the last state, and shows notices that come while it is up', () => {
    const stream = Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 200,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    });
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const reporter = barReporter(stream as unknown as NodeJS.WriteStream);
    reporter.onStart?.(start);
    reporter.onProgress?.(progress());
    reporter.onNotice?.(warning);
    reporter.onProgress?.(progress({ done: 100, finishedNow: 100, failed: 3, discarded: 1 }));
    reporter.onEnd?.();
    reporter.onNotice?.(info);
    expect(text).toContain('warning: Careful.\n');
    expect(text).toMatch(/100% 100\/100 \| 8 running \| 3 failed \| 1 discarded \| 12\.4k tokens/);
    expect(text).toContain('By the way.\n');
  });
});

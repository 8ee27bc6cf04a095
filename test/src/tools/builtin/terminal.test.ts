import { describe, expect, test } from 'vitest';
import type { ExecResult } from '../../../../src/sandbox/sandbox.js';
import { codePointLength } from '../../../../src/text/code-points.js';
import { terminal } from '../../../../src/tools/builtin/terminal.js';
import { callTool } from '../helpers/call-tool.js';
import { LocalSession } from '../helpers/local-session.js';
import { MemorySession } from '../helpers/memory-session.js';

const run = (answer: Partial<ExecResult>, args = {}) => {
  const sandbox = new MemorySession(answer);
  return { sandbox, result: callTool(terminal, { command: 'c', ...args }, { sandbox }) };
};

test('a command answers with output, exit code and no error, stderr in its place', async () => {
  const { content, ok } = await callTool(
    terminal,
    { command: 'echo one; echo two >&2; echo three' },
    { sandbox: new LocalSession() },
  );
  expect(content).toBe('{"output":"one\\ntwo\\nthree\\n","exit_code":0,"error":null}');
  expect(ok).toBe(true);
});

test('a command that fails is an answer and no failure of the tool', async () => {
  const { value, ok } = await callTool(
    terminal,
    { command: 'echo no; exit 3' },
    { sandbox: new LocalSession() },
  );
  expect(value).toEqual({ output: 'no\n', exit_code: 3, error: null });
  expect(ok).toBe(true);
});

test('a directory for one command alone, also below the home directory', async () => {
  const sandbox = new LocalSession();
  sandbox.put('sub dir/file', '');
  const inside = await callTool(terminal, { command: 'ls', workdir: 'sub dir' }, { sandbox });
  expect(inside.value['output']).toBe('file\n');
  const home = await callTool(terminal, { command: 'ls', workdir: '~/sub dir' }, { sandbox });
  expect(home.value['output']).toBe('file\n');
});

describe('a timeout', () => {
  test('is a failure that keeps the output and says what may help', async () => {
    const { value, ok } = await run({
      stdout: Buffer.from('half'),
      exitCode: 124,
      timedOut: true,
      durationMs: 180_040,
    }).result;
    expect(ok).toBe(false);
    expect(value).toMatchObject({ output: 'half', exit_code: 124 });
    expect(value['error']).toMatch(/stopped after 180 s.*at most 600/);
  });

  test('reads the same each time that it happens', async () => {
    const errors = await Promise.all(
      [500, 540, 790].map(async (durationMs) => {
        const answer = { exitCode: 124, timedOut: true, durationMs };
        return (await run(answer, { timeout: 0.5 }).result).value['error'];
      }),
    );
    expect(errors[0]).toContain('stopped after 0.5 s');
    expect(new Set(errors).size).toBe(1);
  });

  test.each([
    [{}, undefined],
    [{ timeout: 5 }, 5_000],
    [{ timeout: 0.5 }, 500],
    [{ timeout: 100_000 }, 600_000],
  ])('of %j is passed on as %j milliseconds', async (args, expected) => {
    const { sandbox, result } = run({}, args);
    await result;
    expect(sandbox.commands[0]?.options.timeoutMs).toBe(expected);
  });

  test.each([{ timeout: 0 }, { timeout: -1 }, { command: '  ' }, { background: true }])(
    '%j is refused',
    (args) => {
      expect(terminal.parameters.safeParse({ command: 'c', ...args }).success).toBe(false);
    },
  );
});

describe('how a command ended', () => {
  test.each<[string, Partial<ExecResult>, string]>([
    ['killed', { exitCode: 137 }, '\n[exit code 137: ended by SIGKILL]'],
    ['a broken pipe', { exitCode: 141 }, '\n[exit code 141: ended by SIGPIPE]'],
    [
      'out of memory',
      { exitCode: 137, outOfMemory: true },
      '\n[exit code 137: the sandbox ran out of memory]',
    ],
    ['an ordinary code', { exitCode: 127 }, ''],
    ['an unknown signal', { exitCode: 255 }, ''],
  ])('%s is noted where it helps', async (_name, answer, output) => {
    const { value, ok } = await run(answer).result;
    expect(value).toEqual({ output, exit_code: answer.exitCode, error: null });
    expect(ok).toBe(true);
  });

  test('an abort is a failure', async () => {
    const { value, ok } = await run({ exitCode: 130, aborted: true }).result;
    expect(ok).toBe(false);
    expect(value['error']).toMatch(/stopped/);
  });
});

describe('output', () => {
  test('has no colours and no control characters', async () => {
    const { value } = await run({ stdout: Buffer.from('\x1b[1;31mred\x1b[0m\x07 \0bell') }).result;
    expect(value['output']).toBe('red bell');
  });

  test('of more than 50,000 characters keeps head and tail and the true size', async () => {
    const stdout = Buffer.from(`START${'🎉'.repeat(80_000)}END`);
    const { value, originalChars } = await run({ stdout }).result;
    const output = String(value['output']);
    expect(codePointLength(output)).toBe(50_000);
    expect(output).toMatch(/^START🎉+\n\n\[\.\.\. \d+ of 80008 characters left out here/u);
    expect(output.endsWith('🎉END')).toBe(true);
    expect(originalChars).toBe(80_008);
  });

  test('that the sandbox cut has its hole marked, with no broken character beside it', async () => {
    // 40 % of 1,000 bytes is 400: both sides begin or end in the middle of a character.
    const head = Buffer.from(`ab${'🎉'.repeat(200)}`).subarray(0, 400);
    const tail = Buffer.from(`${'🎉'.repeat(200)}zz`).subarray(-600);
    const { value, originalChars } = await run({
      stdout: Buffer.concat([head, tail]),
      omittedBytes: { stdout: 9_000, stderr: 0 },
    }).result;
    expect(value['output']).toMatch(/\[\.\.\. 9000 of \d+ characters left out here/);
    expect(value['output']).not.toContain('\uFFFD');
    expect(originalChars).toBeGreaterThan(9_000);
  });

  test('is capped by the sandbox while it streams, with room for what is kept', async () => {
    const { sandbox, result } = run({});
    await result;
    expect(sandbox.commands[0]?.options).toMatchObject({
      mergeStderr: true,
      maxOutputBytes: 400_000,
    });
    expect(sandbox.commands[0]?.options.signal).toBeInstanceOf(AbortSignal);
  });
});

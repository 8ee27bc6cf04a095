import { z } from 'zod';
import type { ExecResult } from '../../sandbox/sandbox.js';
import { type CappedText, capBrokenOutput, capOutput } from '../../text/cap-output.js';
import { plainText } from '../../text/plain-text.js';
import { expandHome } from '../files/expand-home.js';
import type { Tool } from '../tool.js';

const parameters = z.strictObject({
  command: z
    .string()
    .regex(/\S/, 'expected a command')
    .describe('The command line, for a POSIX shell.'),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe(
      'Seconds until the command and all it started are stopped, at most 600. Without it, a default limit holds.',
    ),
  workdir: z
    .string()
    .min(1)
    .optional()
    .describe('Directory for this command alone. Default: where the last command left off.'),
});

/** Runs a shell command. A non-zero exit code is an answer like any other; a timeout is a failure. */
export const terminal: Tool<typeof parameters> = {
  name: 'terminal',
  toolset: 'terminal',
  description: [
    'Run a command in the shell of the sandbox. The working directory and exported variables carry over to the next call.',
    'Returns JSON: output (stdout and stderr in the order written), exit_code, error.',
    'Long output keeps its beginning and its end. There is no terminal and no input: use flags that avoid questions, pagers and editors.',
    'For reading, writing, editing and searching files prefer the file tools where they are offered.',
  ].join('\n'),
  parameters,
  effect: 'command',
  needsSandbox: true,
  async execute({ command, timeout, workdir }, { sandbox, signal }) {
    const result = await sandbox.exec(command, {
      mergeStderr: true,
      maxOutputBytes,
      signal,
      // Left out when the model names none: the sandbox has the default.
      ...(timeout === undefined ? {} : { timeoutMs: Math.min(timeout, longestTimeout) * 1000 }),
      ...(workdir === undefined ? {} : { cwd: await expandHome(workdir, sandbox, signal) }),
    });
    const output = visibleOutput(result);
    const error = errorOf(result, timeout);
    return {
      content: JSON.stringify({
        output: `${output.text}${exitNote(result)}`,
        exit_code: result.exitCode,
        error,
      }),
      ok: error === null,
      ...(output.cut ? { originalChars: output.originalChars } : {}),
    };
  },
};

const longestTimeout = 600;
const maxChars = 50_000;

/** Twice what 50,000 code points can take in UTF-8, so that colours and the like do not eat what is kept. */
const maxOutputBytes = maxChars * 4 * 2;

function visibleOutput({ stdout, omittedBytes }: ExecResult): CappedText {
  if (omittedBytes.stdout === 0) {
    return capOutput(plainText(stdout.toString('utf8')), maxChars);
  }
  // The sandbox keeps 40 % head and 60 % tail: the hole is here, and may have cut a character on either side.
  const seam = Math.floor(stdout.length * 0.4);
  const head = new TextDecoder().decode(stdout.subarray(0, seam), { stream: true });
  let tailStart = seam;
  while (tailStart < seam + 3 && ((stdout[tailStart] ?? 0) & 0xc0) === 0x80) {
    tailStart += 1;
  }
  const tail = stdout.subarray(tailStart).toString('utf8');
  // What is missing can no longer be counted in characters: a byte counts as one.
  return capBrokenOutput(plainText(head), plainText(tail), omittedBytes.stdout, maxChars);
}

function errorOf(
  { timedOut, aborted, blocked, durationMs }: ExecResult,
  timeout: number | undefined,
): string | null {
  if (blocked !== undefined) {
    return `The command was not run: ${blocked}.`;
  }
  if (aborted) {
    return 'The command was stopped: the rollout was cancelled or its time was up.';
  }
  if (timedOut) {
    // Not as measured: a replayed command must give the same text.
    const seconds = Math.min(timeout ?? Math.round(durationMs / 1000), longestTimeout);
    return `The command was stopped after ${seconds} s, with everything it had started. Output so far is kept. A larger timeout (at most ${longestTimeout}) may help, or a command that does less.`;
  }
  return null;
}

function exitNote({ exitCode, outOfMemory, timedOut, aborted }: ExecResult): string {
  if (outOfMemory) {
    return `\n[exit code ${exitCode}: the sandbox ran out of memory]`;
  }
  const signal = timedOut || aborted ? undefined : signalNames.get(exitCode - 128);
  return signal === undefined ? '' : `\n[exit code ${exitCode}: ended by ${signal}]`;
}

/** Signals that have the same number on all systems. */
const signalNames: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
]);

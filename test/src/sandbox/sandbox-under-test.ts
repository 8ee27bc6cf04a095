import { spawnSync } from 'node:child_process';
import { describe, onTestFinished } from 'vitest';
import { bubblewrap } from '../../../src/sandbox/providers/bubblewrap.js';
import { local } from '../../../src/sandbox/providers/local.js';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../../../src/sandbox/sandbox.js';
import { currentOwner } from '../../../src/sandbox/sandbox-owner.js';

/** Everything that a test of one kind of sandbox needs. */
export interface SandboxUnderTest {
  readonly kind: string;
  readonly provider: SandboxProvider;
  /** Makes a sandbox that is closed when the test ends. */
  open(spec?: Partial<SandboxSpec>): Promise<Sandbox>;
}

/** False, with a printed line, where bubblewrap does not work; throws when TALARIA_REQUIRE names it. */
export function hasBubblewrap(): boolean {
  const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']).status === 0;
  if (!works && (process.env['TALARIA_REQUIRE'] ?? '').split(',').includes('bubblewrap')) {
    throw new Error('bubblewrap does not work here, and TALARIA_REQUIRE names it');
  }
  if (!works) {
    process.stderr.write('skipped: tests of the bubblewrap sandbox (bwrap does not work here)\n');
  }
  return works;
}

/** A specification with these fields, owned by this process. */
export function specOf(fields: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    image: null,
    cwd: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    profile: 'root',
    runtime: null,
    commandTimeoutMs: 180_000,
    env: {},
    owner: currentOwner('test'),
    ...fields,
  };
}

/** Runs the same tests for each kind of sandbox. */
export function describeEachSandbox(
  name: string,
  tests: (sandbox: SandboxUnderTest) => void,
  kinds: readonly string[] = ['bubblewrap', 'local'],
): void {
  for (const provider of [bubblewrap, local].filter(({ kind }) => kinds.includes(kind))) {
    const skip = provider === bubblewrap && !hasBubblewrap();
    describe.skipIf(skip)(`${name} (${provider.kind})`, () => {
      tests({
        kind: provider.kind,
        provider,
        open: async (spec) => {
          const sandbox = await provider.create(specOf(spec), new AbortController().signal);
          onTestFinished(() => sandbox.close());
          return sandbox;
        },
      });
    });
  }
}

/** Runs a command and gives its standard output as text. */
export async function output(sandbox: Sandbox, command: string): Promise<string> {
  const result = await sandbox.session.exec(command);
  return result.stdout.toString('utf8');
}

/** Waits until something holds, for at most five seconds. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < 100; round += 1) {
    if (await holds()) {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Whether a process with this text in its command line lives on the host. */
export function runsOnHost(text: string): boolean {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').some((line) => !line.startsWith('Z') && line.includes(text));
}

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { bubblewrap } from '../../../src/sandbox/providers/bubblewrap.js';
import { docker } from '../../../src/sandbox/providers/docker.js';
import { local } from '../../../src/sandbox/providers/local.js';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../../../src/sandbox/sandbox.js';
import { currentOwner } from '../../../src/sandbox/sandbox-owner.js';
import { dockerClient, testImages, whyNoDocker } from '../../helpers/docker-images.js';

/** Everything that a test of one kind of sandbox needs. */
export interface SandboxUnderTest {
  readonly kind: string;
  readonly provider: SandboxProvider;
  /** Makes a sandbox that is closed when the test ends. */
  open(spec?: Partial<SandboxSpec>): Promise<Sandbox>;
  /** What {@link open} makes it from. */
  spec(fields?: Partial<SandboxSpec>): SandboxSpec;
  /** Where the shell keeps its notes, as a command sees it. */
  readonly notes: string;
  /** What a process owns in the world outside: directories or containers. */
  left(pid: number | undefined): readonly string[];
}

interface Target {
  readonly provider: SandboxProvider;
  readonly fields: Partial<SandboxSpec>;
  readonly notes: string;
  /** Why it cannot be tested here, or null. */
  missing(): string | null;
  left(pid: number | undefined): readonly string[];
}

const bubblewrapTarget: Target = {
  provider: bubblewrap,
  fields: {},
  notes: '/run/talaria',
  missing: () =>
    spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']).status === 0
      ? null
      : 'bwrap does not work here',
  left: directoriesOf,
};

const dockerTarget = (fields: Partial<SandboxSpec>): Target => ({
  provider: docker,
  fields,
  notes: '/run/talaria',
  missing: whyNoDocker,
  left: containersOf,
});

const targets: Readonly<Record<string, Target>> = {
  bubblewrap: bubblewrapTarget,
  local: {
    provider: local,
    fields: {},
    notes: '"$HOME"/../state-*',
    missing: () => null,
    left: directoriesOf,
  },
  docker: dockerTarget({ image: testImages.debian }),
  'docker strict': dockerTarget({ image: testImages.debian, profile: 'strict' }),
  'docker busybox': dockerTarget({ image: testImages.busybox, profile: 'strict' }),
};

/** Every sandbox that can be tested, for tests that are too heavy to be run with the others. */
export const everySandbox: readonly string[] = Object.keys(targets);

/** Those that need nothing installed; the engine suite names others. */
const chosen = (process.env['TALARIA_SANDBOXES'] ?? 'bubblewrap,local').split(',');

/** False, with a printed line, where bubblewrap does not work; throws when TALARIA_REQUIRE names it. */
export function hasBubblewrap(): boolean {
  return isThere(bubblewrapTarget);
}

function isThere({ provider: { kind }, missing }: Target): boolean {
  const reason = missing();
  if (reason !== null && (process.env['TALARIA_REQUIRE'] ?? '').split(',').includes(kind)) {
    throw new Error(`TALARIA_REQUIRE names ${kind}, and ${reason}`);
  }
  if (reason !== null) {
    process.stderr.write(`skipped: tests of the ${kind} sandbox (${reason})\n`);
  }
  return reason === null;
}

/** A specification with these fields, owned by this process. */
export function specOf(fields: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    image: null,
    cwd: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    diskMb: 10_240,
    maxParallelExec: 1_000,
    profile: 'root',
    runtime: null,
    commandTimeoutMs: 180_000,
    env: {},
    owner: currentOwner('test'),
    ...fields,
  };
}

/** Runs the same tests for each kind of sandbox, or for these of them. */
export function describeEachSandbox(
  name: string,
  tests: (sandbox: SandboxUnderTest) => void,
  kinds: readonly string[] | null = null,
  labels: readonly string[] = chosen,
): void {
  for (const label of labels) {
    const target = targets[label];
    if (target === undefined) {
      throw new Error(`There is no sandbox ${label} to test; there are ${Object.keys(targets)}.`);
    }
    const { provider, fields, notes, left } = target;
    const { kind } = provider;
    if (kinds !== null && !kinds.includes(kind)) {
      continue;
    }
    const spec = (more: Partial<SandboxSpec> = {}) => specOf({ ...fields, ...more });
    describe.skipIf(!isThere(target))(`${name} (${label})`, () => {
      tests({
        kind,
        provider,
        spec,
        notes,
        left,
        open: async (more) => {
          const sandbox = await provider.create(spec(more), new AbortController().signal);
          onTestFinished(() => sandbox.close());
          return sandbox;
        },
      });
    });
  }
}

/** Directories of sandboxes that a process owns. */
function directoriesOf(pid: number | undefined): readonly string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith('talaria-') && name.includes(`-${pid}-`))
    .flatMap((name) =>
      readdirSync(join(tmpdir(), name)).map((entry) => join(tmpdir(), name, entry)),
    );
}

/** Containers of sandboxes that a process owns, in whatever state. */
function containersOf(pid: number | undefined): readonly string[] {
  const format = '{{.ID}} {{.Label "talaria.owner"}}';
  return dockerClient('ps', '--all', '--filter', 'label=talaria.owner', '--format', format)
    .split('\n')
    .filter((line) => line.includes(`-${pid}-`));
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

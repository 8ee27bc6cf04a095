import { describe, expect, it } from 'vitest';
import {
  loadSandboxProvider,
  resolveSandboxProvider,
  sandboxKinds,
} from '../../../src/sandbox/resolve-sandbox.js';
import type { SandboxConfig, SandboxProvider } from '../../../src/sandbox/sandbox.js';

function config(fields: Partial<SandboxConfig>): SandboxConfig {
  return {
    kind: 'auto',
    image: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    diskMb: 10_240,
    maxParallelExec: 1_000,
    profile: 'root',
    runtime: null,
    env: {},
    trust: false,
    commandTimeoutMs: 1_000,
    ...fields,
  };
}

/** Providers that work, or do not, by kind. */
function having(kinds: { readonly [kind: string]: boolean }) {
  return async (kind: string): Promise<SandboxProvider | null> =>
    kind in kinds
      ? {
          kind,
          description: kind,
          probe: async () =>
            kinds[kind] === true
              ? { ok: true, version: '1' }
              : { ok: false, reason: 'it is broken.', hint: 'Repair it.' },
          create: () => Promise.reject(new Error('not called')),
          sweep: async () => 0,
        }
      : null;
}

describe('the kind of sandbox', () => {
  it('auto is bubblewrap where it works', async () => {
    const load = having({ bubblewrap: true, local: true, docker: true });
    expect((await resolveSandboxProvider(config({}), null, load)).kind).toBe('bubblewrap');
    expect((await resolveSandboxProvider(config({ trust: true }), null, load)).kind).toBe(
      'bubblewrap',
    );
  });

  it('auto is docker for a task with an image', async () => {
    const load = having({ bubblewrap: true, docker: true });
    expect((await resolveSandboxProvider(config({}), 'debian', load)).kind).toBe('docker');
    await expect(
      resolveSandboxProvider(config({}), 'debian', having({ bubblewrap: true })),
    ).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringContaining('`debian`'),
    });
    await expect(
      resolveSandboxProvider(config({}), 'debian', having({ docker: false })),
    ).rejects.toThrow('does not work here: it is broken. Repair it.');
  });

  it('auto is local only with trust, and says what to install without', async () => {
    const load = having({ bubblewrap: false, local: true });
    expect((await resolveSandboxProvider(config({ trust: true }), null, load)).kind).toBe('local');
    await expect(resolveSandboxProvider(config({}), null, load)).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringMatching(
        /it is broken\. Install it .*apt-get install bubblewrap.*trust: true/,
      ),
    });
  });

  it('local is refused without trust', async () => {
    const load = having({ local: true });
    await expect(
      resolveSandboxProvider(config({ kind: 'local' }), null, load),
    ).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('sandbox.trust: true'),
    });
    expect(
      (await resolveSandboxProvider(config({ kind: 'local', trust: true }), null, load)).kind,
    ).toBe('local');
  });

  it.each(['bubblewrap', 'local'] as const)(
    '%s refuses an image instead of ignoring it',
    async (kind) => {
      await expect(
        resolveSandboxProvider(config({ kind, trust: true }), 'debian', having({ [kind]: true })),
      ).rejects.toMatchObject({
        code: 'sandbox_unavailable',
        message: expect.stringContaining('`debian`'),
      });
    },
  );

  it('that this build lacks, or that does not work, is refused with the reason', async () => {
    await expect(resolveSandboxProvider(config({ kind: 'ssh' }), null, having({}))).rejects.toThrow(
      'This build has no ssh sandbox',
    );
    await expect(
      resolveSandboxProvider(config({ kind: 'bubblewrap' }), null, having({ bubblewrap: false })),
    ).rejects.toThrow('A bubblewrap sandbox does not work here: it is broken. Repair it.');
  });

  it('is found by its file', async () => {
    expect(sandboxKinds).toContain('bubblewrap');
    expect((await loadSandboxProvider('local'))?.kind).toBe('local');
    expect(await loadSandboxProvider('toString')).toBeNull();
  });
});

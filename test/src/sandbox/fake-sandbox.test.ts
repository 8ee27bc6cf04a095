import { describe, expect, it } from 'vitest';
import { FakeSandbox } from '../../../testing/fake-sandbox.js';

describe('the fake sandbox', () => {
  it('reads and writes files in memory, as the real ones do', async () => {
    const { session, files, modes } = new FakeSandbox({
      files: { 'a.txt': 'text', '/etc/b': 'b' },
    });
    expect((await session.read('/work/a.txt'))?.toString()).toBe('text');
    expect((await session.read('./a.txt', { maxBytes: 2 }))?.toString()).toBe('te');
    expect(await session.read('missing')).toBeNull();
    await session.write('dir/c', Buffer.from([0, 255]), { mode: 0o755 });
    expect(files.get('/work/dir/c')).toEqual(Buffer.from([0, 255]));
    expect(modes.get('/work/dir/c')).toBe(0o755);
    await expect(session.read('dir')).rejects.toThrow('it is a directory');
    await expect(session.write('/etc', '')).rejects.toThrow('it is a directory');
  });

  it('answers commands from its script and records them', async () => {
    const sandbox = new FakeSandbox({
      exec: { ls: 'a.txt\n', fail: { exitCode: 2, stderr: 'no' } },
    });
    expect((await sandbox.session.exec('ls')).stdout.toString()).toBe('a.txt\n');
    expect(await sandbox.session.exec('fail', { cwd: '/' })).toMatchObject({
      exitCode: 2,
      stderr: Buffer.from('no'),
      timedOut: false,
    });
    expect((await sandbox.session.exec('toString')).exitCode).toBe(127);
    expect((await sandbox.session.exec('ls', { signal: AbortSignal.abort() })).aborted).toBe(true);
    expect(sandbox.commands[1]).toEqual({ command: 'fail', options: { cwd: '/' } });
  });

  it('answers commands from a rule that may change its files', async () => {
    const sandbox = new FakeSandbox({
      exec: (command, _options, { files }) => {
        files.set('/work/made', Buffer.from(command));
        return { timedOut: true, exitCode: 124 };
      },
    });
    expect((await sandbox.session.exec('make')).timedOut).toBe(true);
    expect((await sandbox.session.read('made'))?.toString()).toBe('make');
  });

  it('gives verifiers with the files that each mode has', async () => {
    const sandbox = new FakeSandbox({ files: { given: '1' } });
    await sandbox.session.write('made', '2');
    expect((await (await sandbox.verifier('same')).session.read('made'))?.toString()).toBe('2');
    expect((await (await sandbox.verifier('snapshot')).session.read('made'))?.toString()).toBe('2');
    const fresh = await sandbox.verifier('fresh');
    expect(await fresh.session.read('made')).toBeNull();
    expect((await fresh.session.read('given'))?.toString()).toBe('1');
    await sandbox.close();
    expect([sandbox.closed, sandbox.verifiers]).toEqual([true, ['same', 'snapshot', 'fresh']]);
  });
});

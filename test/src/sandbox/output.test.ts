import { expect, it } from 'vitest';
import { describeEachSandbox, output } from './sandbox-under-test.js';

describeEachSandbox('output', ({ open }) => {
  it('arrives byte for byte, with NUL and invalid UTF-8', async () => {
    const { session } = await open();
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const text = [...all].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    const result = await session.exec(`printf '${text}'; printf '\\377\\000' >&2`);
    expect(result.stdout.equals(all)).toBe(true);
    expect(result.stderr.equals(Buffer.from([255, 0]))).toBe(true);
  });

  it('keeps head and tail of 100 MB, counts the rest, and stays small in memory', async () => {
    const { session } = await open();
    const before = process.memoryUsage().rss;
    const result = await session.exec(
      'echo first; head -c 100000000 /dev/zero; echo last; head -c 5000 /dev/zero >&2',
      { maxOutputBytes: 1_000, timeoutMs: 60_000 },
    );
    expect(result.exitCode).toBe(0);
    expect(result.stdout.length).toBe(1_000);
    expect(result.stdout.subarray(0, 6).toString()).toBe('first\n');
    expect(result.stdout.subarray(-5).toString()).toBe('last\n');
    expect(result.omittedBytes).toEqual({ stdout: 100_000_011 - 1_000, stderr: 4_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000);
  });

  it('of earlier commands is not kept in memory', async () => {
    const { session } = await open();
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < 100; round += 1) {
      await session.exec('head -c 1000000 /dev/zero');
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
  });

  it('merges both streams in the order in which they were written', async () => {
    const { session } = await open();
    const result = await session.exec('for n in 1 2 3 4 5; do echo out $n; echo err $n >&2; done', {
      mergeStderr: true,
    });
    expect(result.stdout.toString()).toBe(
      [1, 2, 3, 4, 5].map((n) => `out ${n}\nerr ${n}\n`).join(''),
    );
    expect(result.stderr.length).toBe(0);
    const next = await session.exec('echo a; echo b >&2');
    expect([next.stdout.toString(), next.stderr.toString()]).toEqual(['a\n', 'b\n']);
  });

  it('of a background job between two commands is dropped', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      '(while [ ! -e go ]; do sleep 0.02; done; echo noise; echo noise >&2; : >did) &',
    );
    await sandbox.session.write('go', '');
    let done = false;
    while (!done) {
      done = (await sandbox.session.read('did')) !== null;
    }
    expect(await output(sandbox, 'echo mine')).toBe('mine\n');
  });

  it('of a background job does not get into files that are read meanwhile', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      '(trap "" PIPE; while :; do echo noise; echo noise >&2; done) & head -c 300000 /dev/zero >zeros',
    );
    for (let round = 0; round < 5; round += 1) {
      expect((await sandbox.session.read('zeros'))?.equals(Buffer.alloc(300_000))).toBe(true);
    }
  });

  it('that looks like the end of a frame does not end it', async () => {
    const sandbox = await open();
    const forged = '</00000000000000000000000000000000 0 1>';
    const result = await sandbox.session.exec(`echo '${forged}'; echo '<'; printf '</'; exit 4`);
    expect(result.exitCode).toBe(4);
    expect(result.stdout.toString()).toBe(`${forged}\n<\n</`);
  });

  it('of a command shows no secret of the channel', async () => {
    const sandbox = await open();
    const variables = await output(sandbox, 'set; env; cat /proc/self/environ 2>/dev/null');
    expect(variables).not.toMatch(/_t_token|_t_nonce/);
    expect(variables).not.toMatch(/[0-9a-f]{32}/);
  });
});

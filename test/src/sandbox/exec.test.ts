import { expect, it } from 'vitest';
import { describeEachSandbox, output } from './sandbox-under-test.js';

describeEachSandbox('a session', ({ open }) => {
  it('keeps standard output, standard error and the exit code apart', async () => {
    const { session } = await open();
    const result = await session.exec('echo out; echo err >&2; exit 3');
    expect(result.stdout.toString()).toBe('out\n');
    expect(result.stderr.toString()).toBe('err\n');
    expect(result).toMatchObject({
      exitCode: 3,
      timedOut: false,
      aborted: false,
      omittedBytes: { stdout: 0, stderr: 0 },
    });
  });

  it('carries the directory and exported variables over, and nothing else', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      `mkdir sub; cd sub; export KEEP="two\nlines 'quoted' ü"; LOSE=1; f() { echo f; }; alias a=b; set -e; umask 0`,
    );
    expect(await output(sandbox, 'pwd; printf %s "$KEEP"')).toBe(
      `${sandbox.session.home}/sub\ntwo\nlines 'quoted' ü`,
    );
    expect(
      await output(sandbox, 'echo "[$LOSE]"; f 2>/dev/null || echo none; false; echo on'),
    ).toBe('[]\nnone\non\n');
    expect(await output(sandbox, 'unset KEEP; cd - >/dev/null')).toBe('');
    expect(await output(sandbox, 'printenv KEEP || echo unset; pwd')).toBe(
      `unset\n${sandbox.session.home}\n`,
    );
  });

  it('forgets a variable of its own environment once a command has unset it', async () => {
    const sandbox = await open({ env: { GIVEN: "it's" } });
    expect(await output(sandbox, 'echo $GIVEN; unset GIVEN')).toBe("it's\n");
    expect(await output(sandbox, 'printenv GIVEN || echo unset')).toBe('unset\n');
  });

  it('forgets many variables at once, and none comes back later', async () => {
    const sandbox = await open();
    const names = Array.from({ length: 50 }, (_, index) => `VARIABLE_${index}`);
    await sandbox.session.exec(`export ${names.map((name) => `${name}=1`).join(' ')}`);
    await sandbox.session.exec('true');
    await sandbox.session.exec(`unset ${names.join(' ')}`);
    for (let round = 0; round < 3; round += 1) {
      expect(await output(sandbox, 'env | grep -c VARIABLE_')).toBe('0\n');
    }
  });

  it('goes to the nearest directory that is left when its own was removed', async () => {
    const sandbox = await open();
    await sandbox.session.exec('mkdir -p a/b/c; cd a/b/c');
    await sandbox.session.exec(`rm -r ${sandbox.session.home}/a/b`);
    expect(await output(sandbox, 'pwd')).toBe(`${sandbox.session.home}/a\n`);
  });

  it('refuses a command with a NUL byte, and says so where the output is looked for', async () => {
    const { session } = await open();
    const apart = await session.exec('echo a\0b');
    expect(apart).toMatchObject({
      exitCode: 2,
      stderr: Buffer.from('sh: a command cannot hold a NUL byte\n'),
    });
    const merged = await session.exec('echo a\0b', { mergeStderr: true });
    expect(merged.stdout.toString()).toContain('NUL byte');
    expect(merged.stderr).toHaveLength(0);
  });

  it.each([
    ['a syntax error', 'if then fi ((', [1, 2]],
    ['an open quote', 'echo "abc', [1, 2]],
    ['an open command substitution', 'echo $(ls', [1, 2]],
    ['exit', 'exit 9', [9]],
    ['exec', 'exec sh -c "exit 7"', [7]],
    ['exec of nothing', 'exec /no/such/program', [127]],
    ['set -e', 'set -e; false; echo no', [1]],
    ['set -u', 'set -u; echo $nothing', [1, 2]],
    ['return', 'return 5', [5, 2, 0]],
    ['break', 'break', [0]],
    ['an unknown command', 'no-such-command', [127]],
    ['a signal to itself', 'sh -c "kill -TERM \\$\\$"', [143]],
    ['an EXIT trap of its own', "trap 'exit 4' EXIT; true", [4]],
    ['closed streams', 'exec >&- 2>&- <&-; true', [0]],
  ])('lives on after %s', async (_name, command, codes) => {
    const sandbox = await open();
    await sandbox.session.exec('export KEPT=1; cd /tmp');
    const { exitCode } = await sandbox.session.exec(command);
    expect(codes).toContain(exitCode);
    expect(await output(sandbox, 'echo $KEPT; pwd')).toBe('1\n/tmp\n');
  });

  it('stores what a command exported before it exited', async () => {
    const sandbox = await open();
    await sandbox.session.exec('cd /tmp; export LATE=1; exit 9');
    await sandbox.session.exec("trap 'true' EXIT; export TRAPPED=1");
    expect(await output(sandbox, 'pwd; echo $LATE$TRAPPED')).toBe('/tmp\n11\n');
  });

  it('takes an open here-document to its end', async () => {
    const sandbox = await open();
    expect(await output(sandbox, 'cat <<END\nhello')).toContain('hello');
    expect(await output(sandbox, 'echo next')).toBe('next\n');
  });

  it('passes the command as data, with whatever it holds', async () => {
    const sandbox = await open();
    const text = `'"\`$(echo no)\\ \\n %s ü \u{1f600} \r END :x`;
    expect(await output(sandbox, `cat <<'END'\n${text}\n\n:\n\n  last\nEND\n`)).toBe(
      `${text}\n\n:\n\n  last\n`,
    );
    expect((await sandbox.session.exec('')).exitCode).toBe(0);
    expect((await sandbox.session.exec('\n\n')).exitCode).toBe(0);
    expect((await sandbox.session.exec('echo a\0b')).exitCode).toBe(2);
  });

  it('runs a command of a megabyte', async () => {
    const sandbox = await open();
    const text = 'line of text\n'.repeat(80_000);
    expect(await output(sandbox, `cat <<'END' | wc -c\n${text}END\n`)).toMatch(/^\s*1040000\n$/);
    expect(await output(sandbox, `export LAST=${'x'.repeat(20_000)}\n\n`)).toBe('');
    expect(await output(sandbox, 'printf %s "$LAST" | wc -c')).toMatch(/^\s*20000\n$/);
  });

  it('gives a command no input, or just the bytes it is told', async () => {
    const { session } = await open();
    expect((await session.exec('cat; echo end')).stdout.toString()).toBe('end\n');
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    expect((await session.exec('cat', { stdin: bytes })).stdout.equals(bytes)).toBe(true);
    expect((await session.exec('head -c 3', { stdin: bytes })).stdout.length).toBe(3);
    expect((await session.exec('cat', { stdin: '' })).stdout.length).toBe(0);
    expect((await session.exec('cat')).stdout.length).toBe(0);
  });

  it('sets variables and the directory for one command alone', async () => {
    const sandbox = await open({ env: { GIVEN: 'old' } });
    await sandbox.session.exec('mkdir there');
    const result = await sandbox.session.exec('pwd; echo "$GIVEN,$NEW"; export STAYS=1', {
      cwd: 'there',
      env: { GIVEN: "n'ew", NEW: '1' },
    });
    expect(result.stdout.toString()).toBe(`${sandbox.session.home}/there\nn'ew,1\n`);
    expect(await output(sandbox, 'pwd; echo "$GIVEN,$STAYS"; printenv NEW || echo unset')).toBe(
      `${sandbox.session.home}\nold,1\nunset\n`,
    );
    const missing = await sandbox.session.exec('echo ran', { cwd: '/no/such' });
    expect(missing).toMatchObject({ exitCode: 1, stdout: Buffer.alloc(0) });
    expect(missing.stderr.toString()).toContain('/no/such');
    expect(() => sandbox.session.exec('true', { env: { 'a b': '1' } })).toThrow('"a b"');
  });

  it('runs commands one after another, in the order in which they came', async () => {
    const { session } = await open();
    const commands = Array.from({ length: 20 }, (_, index) =>
      session.exec(`echo ${index} >>log; cat log | wc -l`),
    );
    const counts = (await Promise.all(commands)).map(({ stdout }) => Number(stdout.toString()));
    expect(counts).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('does not wait for what a command leaves in the background', async () => {
    const sandbox = await open();
    const result = await sandbox.session.exec(
      'sleep 100 & setsid sleep 100 & (nohup sleep 100 &) ; echo done',
      { timeoutMs: 20_000 },
    );
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.stdout.toString()).toBe('done\n');
    expect(await output(sandbox, 'echo next')).toBe('next\n');
  });

  it('lets a server of an earlier command answer a later one', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      'mkfifo in out; while read -r line <in; do echo "got $line" >out; done &',
    );
    expect(await output(sandbox, 'echo question >in; cat out')).toBe('got question\n');
  });

  it('starts in the directory of the task, and makes it', async () => {
    const root = (await open()).session.home;
    const sandbox = await open({ cwd: `${root.startsWith('/tmp') ? '/tmp' : root}/deep/er` });
    expect(await output(sandbox, 'pwd')).toMatch(/\/deep\/er\n$/);
    await sandbox.session.exec('rmdir ../er ..');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { describeEachSandbox, eventually, output, runsOnHost } from './sandbox-under-test.js';

const holder = fileURLToPath(new URL('./hold-sandbox.mjs', import.meta.url));

describeEachSandbox('a sandbox', ({ kind, provider, open, spec, left }) => {
  it('leaves no process and no file when it is closed, and may be closed twice', async () => {
    const before = left(process.pid);
    const sandbox = await open();
    const time = `${process.pid}31`;
    await sandbox.session.exec(
      `sleep ${time} & setsid sleep ${time} & (nohup sleep ${time} >/dev/null 2>&1 &)`,
    );
    await sandbox.session.exec(
      'mkdir -p shut/in; touch shut/in/file; chmod 000 shut/in; chmod 500 shut . ~',
    );
    await sandbox.session.exec('ln -s /usr link; mkdir -p "$(printf "d/%.0s" $(seq 1 200))"');
    expect(left(process.pid).length).toBeGreaterThan(before.length);
    await Promise.all([sandbox.close(), sandbox.close()]);
    await sandbox.close();
    expect(left(process.pid)).toEqual(before);
    expect(runsOnHost(`sleep ${time}`)).toBe(false);
    expect(existsSync('/usr/bin')).toBe(true);
  });

  it('is removed although its paths are longer than a path may be', async () => {
    const before = left(process.pid);
    const sandbox = await open();
    await sandbox.session.exec(
      'n=0; d=$(printf "%0200d" 0); while [ $n -lt 40 ]; do mkdir $d && cd -P $d || exit; n=$((n+1)); done',
    );
    await sandbox.close();
    expect(left(process.pid)).toEqual(before);
  });

  it('that is closed while a command runs rejects that command and those that wait', async () => {
    const sandbox = await open();
    const running = sandbox.session.exec('echo begun; sleep 1000');
    const waiting = sandbox.session.exec('echo next');
    const reading = sandbox.session.read('file');
    const settled = Promise.allSettled([running, waiting, reading]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await sandbox.close();
    for (const result of await settled) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'sandbox_unavailable' } });
    }
    await expect(sandbox.session.exec('true')).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
  });

  it('is not made for a signal that has aborted, and leaves nothing', async () => {
    const before = left(process.pid);
    await expect(provider.create(spec(), AbortSignal.abort())).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
    expect(left(process.pid)).toEqual(before);
  });

  it('is apart from every other one', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await one.session.exec('export A=1; cd ~; touch here');
    await two.session.exec('export A=2');
    expect(await output(one, 'echo $A; ls')).toBe('1\nhere\n');
    expect(await output(two, 'echo $A; ls ~')).toBe('2\n');
    await one.close();
    expect(await output(two, 'echo $A')).toBe('2\n');
  });

  it('is given no file that whoever started the host process had left open', async () => {
    const outside = openSync('/', 'r');
    const child = spawn(
      process.execPath,
      [holder, kind, JSON.stringify(spec()), 'ls -d /proc/self/fd/40/home /proc/$$/fd/40/home'],
      {
        stdio: ['ignore', 'pipe', 'inherit', ...Array(37).fill('ignore'), outside],
      },
    );
    onTestFinished(() => {
      child.kill('SIGKILL');
      closeSync(outside);
    });
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
    });
    expect(await eventually(() => text.includes('ready'))).toBe(true);
    expect(text).toBe('ready\n');
  });

  it('of a host process that was killed is swept by a later one, and others are left', async () => {
    const mine = await open();
    const time = `${process.pid}32`;
    const child = spawn(process.execPath, [
      holder,
      kind,
      JSON.stringify(spec()),
      `sleep ${time} & setsid sleep ${time} & setsid sh -c 'while :; do sleep ${time}; done' &`,
    ]);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    await once(child.stdout, 'data');
    expect(runsOnHost(`sleep ${time}`)).toBe(true);
    expect(left(child.pid).length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (kind === 'bubblewrap') {
      expect(await eventually(() => !runsOnHost(`sleep ${time}`))).toBe(true);
    }
    expect(await provider.sweep()).toBeGreaterThanOrEqual(1);
    expect(left(child.pid)).toEqual([]);
    expect(await eventually(() => !runsOnHost(`sleep ${time}`))).toBe(true);
    expect(await output(mine, 'echo alive')).toBe('alive\n');
    expect(await provider.sweep()).toBe(0);
  });

  it('that cannot be found is not swept: a link, a foreign name, another place', async () => {
    const target = join(tmpdir(), `keep-${process.pid}`);
    mkdirSync(target, { mode: 0o700 });
    writeFileSync(join(target, 'file'), '');
    const names = [
      'talaria-run-999999-00000000-00000000',
      `talaria-run-999999-00000000-${'f'.repeat(8)}`,
      'talaria-something',
    ].map((name) => join(tmpdir(), name));
    const [link, elsewhere, foreign] = names;
    symlinkSync(target, link ?? '');
    mkdirSync(elsewhere ?? '', { mode: 0o700 });
    mkdirSync(foreign ?? '', { mode: 0o700 });
    onTestFinished(() => {
      for (const path of [...names, target]) {
        rmSync(path, { recursive: true, force: true });
      }
    });
    await provider.sweep();
    expect(existsSync(join(target, 'file'))).toBe(true);
    expect(existsSync(elsewhere ?? '')).toBe(true);
    expect(existsSync(foreign ?? '')).toBe(true);
  });
});

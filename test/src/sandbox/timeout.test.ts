import { expect, it } from 'vitest';
import { describeEachSandbox, eventually, output, runsOnHost } from './sandbox-under-test.js';

let serial = 0;
/** A number of seconds that no other process sleeps for. */
function uniqueSleep(): string {
  serial += 1;
  return `${process.pid}${serial}`;
}

describeEachSandbox('a command that takes too long', ({ open }) => {
  it('is killed with its children, also those that changed their session', async () => {
    const sandbox = await open();
    const time = uniqueSleep();
    await sandbox.session.exec('cd /tmp; export KEPT=1');
    const result = await sandbox.session.exec(
      `echo partial; setsid sleep ${time} & setsid sh -c 'setsid sleep ${time} & sleep ${time}' & (sh -c 'sleep ${time} & sleep ${time}' &) ; sleep ${time}`,
      { timeoutMs: 400 },
    );
    expect(result).toMatchObject({ exitCode: 124, timedOut: true, aborted: false });
    expect(result.stdout.toString()).toBe('partial\n');
    expect(runsOnHost(`sleep ${time}`)).toBe(false);
    expect(await output(sandbox, 'pwd; echo $KEPT')).toBe('/tmp\n1\n');
  });

  it('is stopped by the limit of the sandbox when it is given none of its own', async () => {
    const sandbox = await open({ commandTimeoutMs: 300 });
    expect(await sandbox.session.exec('sleep 100')).toMatchObject({
      exitCode: 124,
      timedOut: true,
    });
  });

  it('is killed with a loop of its shell that left it, while earlier ones go on', async () => {
    const sandbox = await open();
    const early = uniqueSleep();
    const late = uniqueSleep();
    await sandbox.session.exec(`( ( while :; do sleep 0.0${early}; done ) & ) ; sleep ${early} &`);
    await sandbox.session.exec(`( ( while :; do sleep 0.0${late}; done ) & ) ; sleep ${late}`, {
      timeoutMs: 300,
    });
    expect(await eventually(() => runsOnHost(`sleep 0.0${early}`))).toBe(true);
    expect(runsOnHost(`sleep ${early}`)).toBe(true);
    expect(runsOnHost(`sleep ${late}`)).toBe(false);
    let seen = false;
    for (let round = 0; round < 10; round += 1) {
      seen ||= runsOnHost(`sleep 0.0${late}`);
    }
    expect(seen).toBe(false);
  });

  it('is killed although it forks all the time', async () => {
    const sandbox = await open();
    const time = uniqueSleep();
    const result = await sandbox.session.exec(
      `sh -c 'n=0; while [ $n -lt 400 ]; do sleep ${time} & n=$((n+1)); done; while :; do (sleep ${time} &) ; sleep 0.05; done'`,
      { timeoutMs: 700 },
    );
    expect(result.exitCode).toBe(124);
    expect(await eventually(() => !runsOnHost(`sleep ${time}`))).toBe(true);
    expect(await output(sandbox, 'echo alive')).toBe('alive\n');
  });

  it('is killed although it hops from process to process', async () => {
    const sandbox = await open();
    const name = `hop-${uniqueSleep()}`;
    await sandbox.session.write(name, 'sh "$0" & exit\n');
    const result = await sandbox.session.exec(`setsid sh ${name} & sleep 100`, { timeoutMs: 300 });
    expect(result.exitCode).toBe(124);
    for (let round = 0; round < 5; round += 1) {
      expect(runsOnHost(name)).toBe(false);
    }
    expect(await output(sandbox, 'echo alive')).toBe('alive\n');
  });

  it('is killed although an earlier one exported names of the shell’s own', async () => {
    const sandbox = await open();
    const time = uniqueSleep();
    await sandbox.session.exec(
      'export _t_text="echo changed" _t_prelude=x _t_keep=1 _t_cwd=/ _t_count=file _t_status=1',
    );
    expect(await output(sandbox, 'cd /tmp; export KEPT=1; echo as told')).toBe('as told\n');
    const result = await sandbox.session.exec(
      `setsid sleep ${time} & sh -c 'setsid sleep ${time} & sleep ${time}'`,
      { timeoutMs: 300 },
    );
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    expect(runsOnHost(`sleep ${time}`)).toBe(false);
    expect(await output(sandbox, 'pwd; echo $KEPT')).toBe('/tmp\n1\n');
  });

  it('is killed although it ignores every signal that can be ignored', async () => {
    const { session } = await open();
    const time = uniqueSleep();
    const result = await session.exec(
      `trap '' HUP INT TERM QUIT; sh -c "trap '' HUP INT TERM; sleep ${time}; sleep ${time}"; sleep ${time}`,
      { timeoutMs: 300 },
    );
    expect(result.exitCode).toBe(124);
    expect(runsOnHost(`sleep ${time}`)).toBe(false);
  });

  it('is killed on an abort, and what waits behind it does not run', async () => {
    const sandbox = await open();
    const abort = new AbortController();
    const running = sandbox.session.exec('echo begun; sleep 1000', { signal: abort.signal });
    const waiting = sandbox.session.exec('touch ran', { signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    expect(await running).toMatchObject({ exitCode: 130, aborted: true, timedOut: false });
    expect((await running).stdout.toString()).toBe('begun\n');
    expect(await waiting).toMatchObject({ exitCode: 130, aborted: true });
    expect(await sandbox.session.read('ran')).toBeNull();
    expect(await sandbox.session.exec('true', { signal: abort.signal })).toMatchObject({
      exitCode: 130,
      aborted: true,
    });
  });

  it('counts its time from its own start and not from the queue', async () => {
    const { session } = await open();
    const first = session.exec('sleep 0.6');
    const second = await session.exec('echo quick', { timeoutMs: 500 });
    expect(second).toMatchObject({ exitCode: 0, timedOut: false });
    await first;
  });

  it('with a flood of output ends in time', async () => {
    const { session } = await open();
    const result = await session.exec('yes', { timeoutMs: 2_000, maxOutputBytes: 100 });
    expect(result).toMatchObject({ exitCode: 124, timedOut: true });
    expect(result.stdout.length).toBe(100);
    expect((await session.exec('echo after')).stdout.toString()).toBe('after\n');
  });
});

describeEachSandbox('a shell that the command kills', ({ kind, open }) => {
  it.each([
    ['its parent', 'kill -9 $PPID; sleep 0.2; echo went on'],
    ['itself', 'kill -9 $$; sleep 0.2; echo went on'],
    ['its process group', 'kill -9 0; sleep 0.2'],
    ['its process group, gently', 'kill 0; sleep 0.2'],
  ])('by a signal to %s is replaced with directory and variables', async (_name, command) => {
    const sandbox = await open();
    await sandbox.session.exec('cd /tmp; export KEPT=1');
    await sandbox.session.exec(command, { timeoutMs: 10_000 });
    expect(await output(sandbox, 'pwd; echo $KEPT')).toBe('/tmp\n1\n');
    expect((await sandbox.verifier('same')).kind).toBe(kind);
  });
});

describeEachSandbox(
  'a signal to everything',
  ({ open }) => {
    it('does not end the sandbox', async () => {
      const sandbox = await open();
      await sandbox.session.exec('kill -9 -1; pkill -9 sh; kill -9 1', { timeoutMs: 10_000 });
      expect(await output(sandbox, 'echo alive')).toBe('alive\n');
    });
  },
  ['bubblewrap'],
);

describeEachSandbox(
  'a command that puts a pipe where the shell keeps its notes',
  ({ notes, open }) => {
    it('blocks nothing but what it does itself', async () => {
      const sandbox = await open();
      const { session } = sandbox;
      await session.exec('export KEPT=1');
      const result = await session.exec(
        `cd ${notes} && rm -rf saved input/* && mkfifo saved input/stdin`,
        { timeoutMs: 5_000 },
      );
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      expect(await output(sandbox, 'echo "$KEPT"')).toBe('1\n');
      await session.write('/tmp/talaria-notes-test', 'text');
      expect(await output(sandbox, 'cat /tmp/talaria-notes-test; rm /tmp/talaria-notes-test')).toBe(
        'text',
      );
    });
  },
);

/** Shuts a socket of process 1. */
function shutSocket(descriptor: number): string {
  return [
    'import ctypes, os, socket',
    `taken = ctypes.CDLL(None).syscall(438, os.pidfd_open(1), ${descriptor}, 0)`,
    'socket.socket(fileno=taken).shutdown(2)',
  ].join('; ');
}

/** Ways to end process 1 of a sandbox, or to leave it unable to do anything. */
const attacksOnShell: readonly (readonly [name: string, command: string])[] = [
  ['no processes', 'prlimit --pid 1 --nproc=0:0; exit'],
  ['no input', `python3 -c '${shutSocket(0)}'; exit`],
  ['no output', `python3 -c '${shutSocket(3)}'; exit`],
];

describeEachSandbox(
  'a shell that the command leaves with',
  ({ open }) => {
    it.each(attacksOnShell)('%s is replaced, and the files stay', async (_name, command) => {
      const sandbox = await open();
      await sandbox.session.exec('echo text >file; cd /tmp; export KEPT=1');
      const result = await sandbox.session.exec(command, { timeoutMs: 20_000 });
      expect(result.timedOut).toBe(false);
      await sandbox.session.exec('true');
      await sandbox.session.exec('true');
      expect(await output(sandbox, 'pwd; echo $KEPT; cat /work/file')).toBe('/tmp\n1\ntext\n');
      expect((await sandbox.session.read('/work/file'))?.toString()).toBe('text\n');
    });
  },
  ['bubblewrap'],
);

describeEachSandbox('commands of more sandboxes than may run at once', ({ open }) => {
  it('take turns, and the time that they wait is not theirs', async () => {
    const [one, two, three] = await Promise.all([
      open({ maxParallelExec: 1 }),
      open({ maxParallelExec: 1 }),
      open({ maxParallelExec: 1 }),
    ]);
    const order: string[] = [];
    const first = one.session.exec('sleep 0.7').then(() => order.push('first'));
    const second = two.session.exec('sleep 0.3', { timeoutMs: 600 }).then((result) => {
      order.push('second');
      return result;
    });
    // What the host itself asks does not wait.
    await three.session.write('file', 'text');
    order.push('write');
    await first;
    expect(await second).toMatchObject({ exitCode: 0, timedOut: false });
    expect((await second).durationMs).toBeLessThan(600);
    expect(order).toEqual(['write', 'first', 'second']);
  });

  it('can be aborted while they wait, and end with their sandbox', async () => {
    const sandboxes = await Promise.all([0, 1, 2].map(() => open({ maxParallelExec: 1 })));
    const [one, two, three] = sandboxes;
    const running = one?.session.exec('sleep 1000');
    const controller = new AbortController();
    const aborted = two?.session.exec('echo no', { signal: controller.signal });
    const closed = expect(three?.session.exec('echo no')).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort();
    expect(await aborted).toMatchObject({ exitCode: 130, aborted: true });
    await three?.close();
    await closed;
    const ended = expect(running).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    await one?.close();
    await ended;
    expect(await output(two as never, 'echo yes')).toBe('yes\n');
  });
});

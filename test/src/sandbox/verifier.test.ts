import { expect, it } from 'vitest';
import type { VerifyMode } from '../../../src/sandbox/sandbox.js';
import { describeEachSandbox, output, runsOnHost } from './sandbox-under-test.js';

const modes: readonly VerifyMode[] = ['same', 'snapshot', 'fresh'];

/** What an agent may do to its shell to make tests pass. */
const poison = [
  'mkdir evil; printf "#!/bin/sh\\necho poisoned\\n" >evil/ls; chmod +x evil/ls; echo "echo poisoned" >evil/rc',
  'export PATH="$PWD/evil:$PATH" ENV="$PWD/evil/rc" BASH_ENV="$PWD/evil/rc" LD_PRELOAD="$PWD/evil/rc" IFS=x',
  'ls() { echo poisoned; }; test() { return 0; }; alias cat="echo poisoned"; trap "echo poisoned" EXIT; set -n',
].join('\n');

describeEachSandbox('a verifier', ({ open }) => {
  it.each(modes)('%s has a clean shell after the agent poisoned its own', async (mode) => {
    const sandbox = await open({ env: { GIVEN: '1' } });
    await sandbox.session.exec('touch answer');
    await sandbox.session.exec(poison);
    const verifier = await sandbox.verifier(mode);
    const result = await verifier.session.exec(
      'ls; sh -c "ls >/dev/null"; env | grep -E "^(ENV|BASH_ENV|LD_PRELOAD)="; echo "$GIVEN"; pwd',
    );
    expect(result.stdout.toString()).not.toContain('poisoned');
    expect(result.stderr.toString()).toBe('');
    expect(result.stdout.toString()).toBe(
      `${mode === 'fresh' ? '' : 'answer\nevil\n'}1\n${verifier.session.home}\n`,
    );
    expect(await output(verifier, 'cd /tmp; export OWN=1')).toBe('');
    expect(await output(verifier, 'pwd; echo $OWN')).toBe('/tmp\n1\n');
    await verifier.close();
    expect(await sandbox.session.read('answer')).not.toBeNull();
  });

  it('same stops what is in the foreground and leaves daemons alone', async () => {
    const sandbox = await open();
    const time = `${process.pid}71`;
    await sandbox.session.exec(
      `echo 1 >state; mkfifo in out; (while read -r l <in; do echo "pong" >out; done) & sleep ${time} &`,
    );
    const running = sandbox.session.exec(`sleep ${time}9`);
    const waiting = sandbox.session.exec('echo 2 >state');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const verifier = await sandbox.verifier('same');
    expect(await output(verifier, 'echo ping >in; cat out state')).toBe('pong\n1\n');
    expect(await running).toMatchObject({ exitCode: 130, aborted: true });
    expect(await waiting).toMatchObject({ exitCode: 130, aborted: true });
    expect(runsOnHost(`sleep ${time}9`)).toBe(false);
    expect(runsOnHost(`sleep ${time}`)).toBe(true);
  });

  it('same shows no output of the agent’s background jobs', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      '(trap "" PIPE; while :; do echo all tests passed; echo passed >&2; done) &',
    );
    const verifier = await sandbox.verifier('same');
    const result = await verifier.session.exec('sleep 0.2; echo 1 failed');
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['1 failed\n', '']);
  });

  it('snapshot has the agent’s files and none of its processes', async () => {
    const sandbox = await open();
    const time = `${process.pid}72`;
    await sandbox.session.exec(`echo answer >file; echo more >~/file; setsid sleep ${time} &`);
    const verifier = await sandbox.verifier('snapshot');
    expect(await output(verifier, 'cat file ~/file')).toBe('answer\nmore\n');
    expect(runsOnHost(`sleep ${time}`)).toBe(false);
  });

  it('snapshot is without a process that hops from one to the next', async () => {
    const sandbox = await open();
    const name = `hop-${process.pid}73`;
    await sandbox.session.write(name, 'setsid sh "$0" & exit\n');
    await sandbox.session.exec(`setsid sh ${name} &`);
    const verifier = await sandbox.verifier('snapshot');
    for (let round = 0; round < 5; round += 1) {
      expect(runsOnHost(name)).toBe(false);
    }
    expect(await output(verifier, `cat ${name}`)).toContain('setsid');
  });

  it('fresh has none of the agent’s files', async () => {
    const sandbox = await open();
    await sandbox.session.exec('touch file ~/file; touch "$(dirname "$(mktemp)")/file"');
    const verifier = await sandbox.verifier('fresh');
    expect(await output(verifier, 'find . ~ "$(dirname "$(mktemp -u)")" -name file')).toBe('');
  });

  it('ends with the sandbox that it belongs to', async () => {
    const sandbox = await open();
    const verifiers = await Promise.all(modes.map((mode) => sandbox.verifier(mode)));
    await sandbox.close();
    for (const verifier of verifiers) {
      await expect(verifier.session.exec('true')).rejects.toMatchObject({
        code: 'sandbox_unavailable',
      });
    }
    await expect(sandbox.verifier('same')).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  });
});

describeEachSandbox(
  'the scratch directory of a verifier',
  ({ open }) => {
    it('has nothing of the agent in it or above it', async () => {
      const agent = await open();
      await agent.session.exec(
        'for d in / /tmp /run /run/talaria /run/talaria/input; do touch "$d/conftest.py"; mkdir "$d/node_modules"; done',
      );
      for (const mode of ['snapshot', 'fresh'] as const) {
        const verifier = await agent.verifier(mode);
        const above =
          'cd "$d" && until [ "$PWD" = / ]; do find "$PWD" -maxdepth 1 -name "conf*" -o -name "node*"; cd ..; done';
        expect(await output(verifier, `d=${verifier.session.scratch}; ${above}`)).toBe('');
        expect((await verifier.session.exec(`touch ${verifier.session.scratch}/x`)).exitCode).toBe(
          0,
        );
        await verifier.close();
      }
      const same = await agent.verifier('same');
      expect(await output(same, `ls -A ${same.session.scratch}`)).not.toMatch(/conf|node/);
    });
  },
  ['bubblewrap'],
);

/** What an agent may do so that nobody can tell that it failed. */
const sabotage: readonly (readonly [name: string, command: string])[] = [
  ['closed its directories', 'chmod 000 /app /app/src /tmp /work ~'],
  ['put a file in the place of its directory', 'cd /; rm -rf /app/src; touch /app/src'],
  ['put a dead link in the place of its directory', 'cd /; rm -rf /app/src; ln -s /x /app/src'],
  ['closed the shell’s directory', 'chmod 000 /run/talaria/input; chmod 000 /run/talaria'],
  [
    'put directories where the shell keeps its files',
    'cd /run/talaria; rm -f *; mkdir saved input/stdin input/command; touch saved/x input/stdin/x',
  ],
  [
    'put endless files where the shell keeps its own',
    'cd /run/talaria; for f in saved input/stdin input/command; do rm -f $f; ln -s /dev/zero $f; done',
  ],
  ['put pipes there', 'cd /run/talaria; rm -f saved; mkfifo saved input/stdin input/command'],
  ['left the shell without processes', 'prlimit --pid 1 --nproc=0:0'],
  ['left the shell without files', 'prlimit --pid 1 --fsize=0:0'],
  ['left the shell without memory', 'prlimit --pid 1 --as=1000:1000'],
];

describeEachSandbox(
  'a verifier over the files of an agent that',
  ({ open }) => {
    it.each(
      sabotage.flatMap(([name, command]) =>
        (['snapshot', 'same'] as const).map((mode) => [name, mode, command] as const),
      ),
    )('%s works all the same (%s)', async (_name, mode, command) => {
      const agent = await open({ cwd: '/app/src' });
      await agent.session.exec(command);
      const { session } = await agent.verifier(mode);
      const made = await session.exec('mktemp -d /tmp/x.XXXXXX', { cwd: '/' });
      const folder = made.stdout.toString().trim();
      await session.write(`${folder}/test.sh`, 'exit 7');
      const result = await session.exec(`sh ${folder}/test.sh`, { cwd: '/run' });
      expect(result).toMatchObject({ exitCode: 7, stderr: Buffer.alloc(0) });
      expect(await session.read('answer')).toBeNull();
    });
  },
  ['bubblewrap'],
);

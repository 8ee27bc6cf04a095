import { expect, it } from 'vitest';
import { docker } from '../../../src/sandbox/providers/docker.js';
import { dockerClient } from '../../helpers/docker-images.js';
import { openDocker } from '../../helpers/open-docker.js';
import { output, specOf } from '../../src/sandbox/sandbox-under-test.js';

/** The container of this process that was made last. */
function newestContainer(): string {
  const label = 'label=talaria.run=test';
  return dockerClient('ps', '--latest', '--quiet', '--filter', label).trim();
}

it.each([
  ['killed', ['kill'], /its container ended with code 137/],
  ['removed', ['rm', '--force'], /its container (was removed by somebody else|ended)/],
  ['stopped', ['stop', '--time', '0'], /its container ended/],
])(
  'a container that is %s ends the command that runs, with the reason',
  async (_name, how, reason) => {
    const sandbox = await openDocker();
    const running = sandbox.session.exec('sleep 1000');
    const settled = expect(running).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    const text = expect(running).rejects.toThrow(reason);
    await new Promise((resolve) => setTimeout(resolve, 300));
    dockerClient(...how, newestContainer());
    await settled;
    await text;
    await expect(sandbox.session.exec('true')).rejects.toThrow(reason);
    await expect(sandbox.verifier('snapshot')).rejects.toMatchObject({
      code: 'sandbox_unavailable',
    });
    await sandbox.close();
  },
);

it('a container that died between two commands is noticed by the next', async () => {
  const sandbox = await openDocker();
  await sandbox.session.exec('true');
  dockerClient('kill', newestContainer());
  await expect(sandbox.session.exec('true')).rejects.toThrow(/its container ended with code 137/);
});

it.each([
  [
    'an image that nobody has',
    { image: 'localhost:1/nobody/has-it:1' },
    /localhost:1\/nobody\/has-it:1 is not here and cannot be fetched.*docker pull/,
  ],
  ['no image', { image: null }, /Set `sandbox.image`/],
  ['a runtime that the engine does not know', { runtime: 'nonsense' }, /nonsense/i],
])('%s is told in one sentence, and leaves nothing', async (_name, fields, message) => {
  const before = dockerClient('ps', '--all', '--quiet');
  await expect(openDocker(fields)).rejects.toThrow(message);
  await expect(openDocker(fields)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  expect(dockerClient('ps', '--all', '--quiet')).toBe(before);
});

it('an image without a shell is told as that', async () => {
  dockerClient('image', 'rm', '--force', 'talaria-test/empty');
  const { execFileSync } = await import('node:child_process');
  execFileSync('sh', ['-c', 'tar -c -T /dev/null | docker import - talaria-test/empty']);
  const before = dockerClient('ps', '--all', '--quiet');
  await expect(openDocker({ image: 'talaria-test/empty' })).rejects.toThrow(/\/bin\/sh/);
  expect(dockerClient('ps', '--all', '--quiet')).toBe(before);
});

it('a snapshot has the agent’s changes and removals, but not those of the system', async () => {
  const sandbox = await openDocker({ cwd: '/srv/task' });
  await sandbox.session.exec(
    [
      'echo answer >file; mkdir -p deep/er; echo 1 >deep/er/one; chmod 640 file; ln -s file link',
      'echo more >~/note; rm -rf /opt /srv/gone /media',
      'cp /bin/true /usr/bin/ls; echo evil >/etc/profile; echo evil >/usr/lib/evil',
    ].join('; '),
  );
  const verifier = await sandbox.verifier('snapshot');
  expect(
    await output(
      verifier,
      'pwd; cat link deep/er/one ~/note; stat -c "%a %U" file; ls -d /opt /media 2>&1 | wc -l',
    ),
  ).toBe('/srv/task\nanswer\n1\nmore\n640 root\n2\n');
  expect((await verifier.session.exec('ls -d /opt')).exitCode).not.toBe(0);
  expect(
    await output(verifier, 'ls file; ls /usr/lib/evil 2>/dev/null; grep -c evil /etc/profile'),
  ).toBe('file\n0\n');
});

it('is not made, and leaves nothing, when it is cancelled while it starts', async () => {
  const before = dockerClient('ps', '--all', '--quiet');
  const spec = specOf({ image: 'talaria-test/debian' });
  await Promise.all(
    [0, 20, 60, 120, 200, 300].map(async (ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), ms);
      const made = await docker.create(spec, controller.signal).catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'sandbox_unavailable' });
        return null;
      });
      await made?.close();
    }),
  );
  expect(dockerClient('ps', '--all', '--quiet')).toBe(before);
});

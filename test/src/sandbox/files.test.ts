import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeEachSandbox, output } from './sandbox-under-test.js';

describeEachSandbox('files', ({ open }) => {
  it('of 10 MB come back byte for byte', async () => {
    const { session } = await open();
    const data = Buffer.alloc(10_000_001);
    for (let at = 0; at < data.length; at += 1) {
      data[at] = (at * 2654435761) >>> 24;
    }
    await session.write('big', data);
    expect((await session.read('big'))?.equals(data)).toBe(true);
    expect((await session.read('big', { maxBytes: 7 }))?.equals(data.subarray(0, 7))).toBe(true);
    expect((await session.exec('echo still in step')).stdout.toString()).toBe('still in step\n');
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['of one block', Buffer.alloc(65_536, 'x')],
    ['of a block and a byte', Buffer.alloc(65_537, 'x')],
    ['without a last line break', Buffer.from('a\nb')],
  ])('%s come back as they were', async (_name, data) => {
    const { session } = await open();
    await session.write('file', data);
    expect((await session.read('file'))?.equals(data)).toBe(true);
  });

  it.each([
    'plain',
    'with space',
    'quo\'te"s',
    'new\nline',
    '-rf',
    '--help',
    '$(touch pwned)',
    'back\\slash',
    '*',
    'ünï/\u{1f600}',
    'deep/er/still',
    './dot',
  ])('may be called %j', async (path) => {
    const sandbox = await open();
    await sandbox.session.write(path, `content of ${path}`);
    expect((await sandbox.session.read(path))?.toString()).toBe(`content of ${path}`);
    expect(await output(sandbox, 'find . -type f | grep -c . ')).toMatch(/^[12]\n$/);
    expect(await sandbox.session.read('pwned')).toBeNull();
  });

  it('are found relative to the directory of the shell', async () => {
    const sandbox = await open();
    await sandbox.session.exec(
      'mkdir sub; cd sub; export PATH=/nowhere LD_LIBRARY_PATH=/x CDPATH=/tmp',
    );
    await sandbox.session.write('file', 'here');
    expect((await sandbox.session.read(`${sandbox.session.home}/sub/file`))?.toString()).toBe(
      'here',
    );
  });

  it('get the mode that is asked for, and keep theirs otherwise', async () => {
    const sandbox = await open();
    await sandbox.session.write('script', 'echo ran', { mode: 0o755 });
    expect(await output(sandbox, './script')).toBe('ran\n');
    await sandbox.session.write('script', 'echo again');
    expect(await output(sandbox, './script')).toBe('again\n');
    await sandbox.session.write('closed', 'to all', { mode: 0o000 });
    expect(await output(sandbox, 'ls -l closed | cut -c1-10')).toBe('----------\n');
  });

  it('that are missing are null; directories, pipes and bad names are errors', async () => {
    const { session } = await open();
    expect(await session.read('missing')).toBeNull();
    expect(await session.read('missing/too')).toBeNull();
    await session.exec('mkdir dir; mkfifo pipe; ln -s nowhere dangling; echo text >file');
    expect(await session.read('dangling')).toBeNull();
    await expect(session.read('dir')).rejects.toThrow('Cannot read dir: it is a directory.');
    await expect(session.read('pipe')).rejects.toThrow('not a regular file');
    await expect(session.write('dir', '')).rejects.toThrow(/Cannot write dir: .*[Dd]irectory/);
    await expect(session.write('file/below', '')).rejects.toThrow(/Cannot write file\/below: /);
    await expect(session.read('a\0b')).rejects.toThrow('NUL');
  });

  it('reached through a symbolic link are those that the sandbox sees', async () => {
    const sandbox = await open();
    await sandbox.session.exec('ln -s /etc/hostname link; ln -s /tmp out');
    await sandbox.session.write('out/from-outside', 'x');
    expect(await output(sandbox, 'cat /tmp/from-outside; rm /tmp/from-outside')).toBe('x');
  });
});

describeEachSandbox(
  'a symbolic link out of the sandbox',
  ({ open }) => {
    it('leads to the sandbox’s own system and never to the host’s', async () => {
      const { session } = await open();
      await session.exec('ln -s /etc/passwd passwd; ln -s /etc/shadow shadow; ln -s / root');
      const passwd = (await session.read('passwd'))?.toString() ?? '';
      expect(passwd).toContain(':/home/agent:');
      expect(passwd).not.toBe(readFileSync('/etc/passwd', 'utf8'));
      expect(await session.read('shadow')).toBeNull();
      await expect(session.write('passwd', 'broken')).rejects.toThrow('Read-only file system');
      await expect(session.write('root/usr/bin/broken', '')).rejects.toThrow('Read-only');
    });
  },
  ['bubblewrap'],
);

import { expect, it } from 'vitest';
import { findControllers } from '../../../src/sandbox/find-controllers.js';

it('finds the trees of version 1 by their controllers', () => {
  const mounts = [
    '24 1 0:5 / /dev rw - devtmpfs devtmpfs rw',
    '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
    '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  ].join('\n');
  expect(findControllers(mounts, '4:memory:/user/a\n1:cpu,cpuacct:/\n0::/other\n')).toEqual({
    memory: { version: 1, mount: '/sys/fs/cgroup/memory', own: '/sys/fs/cgroup/memory/user/a' },
    cpu: { version: 1, mount: '/sys/fs/cgroup/cpu,cpuacct', own: '/sys/fs/cgroup/cpu,cpuacct' },
    // No tree of version 1 has it.
    pids: { version: 2, mount: '/sys/fs/cgroup/unified', own: '/sys/fs/cgroup/unified/other' },
  });
});

it('finds all in the one tree of version 2, also where only a part of it is mounted', () => {
  const mount = '30 25 0:26 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate';
  const place = { version: 2, mount: '/sys/fs/cgroup', own: '/sys/fs/cgroup/inner' };
  expect(findControllers(mount, '0::/docker/ab/inner\n')).toEqual({
    memory: place,
    pids: place,
    cpu: place,
  });
  const outside = { ...place, own: '/sys/fs/cgroup' };
  expect(findControllers(mount, '0::/elsewhere\n')).toMatchObject({ memory: outside });
});

it('finds none where there are none', () => {
  expect(findControllers('', '')).toEqual({});
  expect(findControllers('24 1 0:5 / /dev rw - devtmpfs devtmpfs rw', '0::/\n')).toEqual({});
});

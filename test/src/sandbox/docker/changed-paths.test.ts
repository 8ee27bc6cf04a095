import { expect, it } from 'vitest';
import { changedPaths } from '../../../../src/sandbox/docker/copy-changes.js';

const changed = (path: string) => ({ Path: path, Kind: 0 as const });
const added = (path: string) => ({ Path: path, Kind: 1 as const });
const removed = (path: string) => ({ Path: path, Kind: 2 as const });

it('takes what the agent made, by the directory at the top, and nothing of the system', () => {
  const changes = [
    changed('/usr'),
    changed('/usr/bin'),
    added('/usr/bin/python3'),
    changed('/etc'),
    changed('/etc/profile'),
    removed('/var/lib/x'),
    changed('/root'),
    added('/root/.cache'),
    added('/app'),
    added('/app/file'),
    removed('/srv/old'),
  ];
  expect(changedPaths(changes, '/app')).toEqual({
    copied: ['/app', '/root'],
    removed: ['/srv/old'],
  });
});

it('takes the task’s own directory even where it lies in the system, and no more of that', () => {
  const changes = [
    changed('/usr'),
    changed('/usr/src'),
    added('/usr/src/app/file'),
    removed('/usr/src/app/old'),
    added('/usr/src/other'),
    changed('/usr/src/application'),
  ];
  expect(changedPaths(changes, '/usr/src/app')).toEqual({
    copied: ['/usr/src/app'],
    removed: ['/usr/src/app/old'],
  });
});

it('leaves out what a directory around it covers', () => {
  const changes = [added('/work/a'), added('/work/a/b'), removed('/old'), removed('/old/below')];
  expect(changedPaths(changes, '/work/a')).toEqual({ copied: ['/work/a'], removed: ['/old'] });
  expect(changedPaths([], '/work')).toEqual({ copied: [], removed: [] });
});

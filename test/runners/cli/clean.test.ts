import { expect, it } from 'vitest';
import type { SweptKind } from '../../../runners/batch/sweep-sandboxes.js';
import { talaria } from './cli-fixture.js';

function clean(swept: readonly SweptKind[], ...args: readonly string[]) {
  return talaria(['clean', ...args], { services: { sweep: async () => swept } });
}

const none = { kind: 'local', removed: 0, problem: null };

it('says what was removed, by kind', async () => {
  const docker = { kind: 'docker', removed: 3, problem: null };
  const bubblewrap = { kind: 'bubblewrap', removed: 1, problem: null };
  expect(await clean([bubblewrap, docker, none])).toMatchObject({
    code: 0,
    stdout: 'Removed 1 bubblewrap sandbox, 3 docker sandboxes.\n',
    stderr: '',
  });
});

it('says so when there is nothing to remove', async () => {
  expect((await clean([none])).stdout).toMatch(/^Nothing to remove/);
});

it('ends with 1 and the reason when it could not look', async () => {
  const broken = { kind: 'docker', removed: 0, problem: 'no permission' };
  expect(await clean([broken, none])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('docker sandboxes that an earlier process left: no permission'),
  });
});

it('prints JSON', async () => {
  const { stdout } = await clean([none], '--json');
  expect(JSON.parse(stdout)).toEqual([{ kind: 'local', removed: 0, problem: null }]);
});

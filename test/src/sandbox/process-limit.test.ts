import { expect, it } from 'vitest';
import { processLimit } from '../../../src/sandbox/process-limit.js';

it('a sandbox has a limit of processes where the kernel counts its own alone', () => {
  expect(['4.19.0', '5.4.0-150-generic', '5.13.19'].map(processLimit)).toEqual([null, null, null]);
  expect(['5.14.0', '6.1.0-18-amd64', '10.0'].map(processLimit)).toEqual([4_096, 4_096, 4_096]);
});

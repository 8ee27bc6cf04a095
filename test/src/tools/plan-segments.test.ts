import { expect, test } from 'vitest';
import { planSegments } from '../../../src/tools/plan-segments.js';

test.each([
  [[], []],
  [['read'], [[0]]],
  [['read', 'read', 'read'], [[0, 1, 2]]],
  [
    ['read', 'write', 'read'],
    [[0], [1], [2]],
  ],
  [
    ['command', 'command'],
    [[0], [1]],
  ],
  [
    ['read', 'read', 'command', 'read', 'read', 'write'],
    [[0, 1], [2], [3, 4], [5]],
  ],
  [
    ['read', null, 'read', 'write', null],
    [[0, 1, 2], [3], [4]],
  ],
] as const)('%j runs as %j', (effects, expected) => {
  expect(planSegments(effects)).toEqual(expected);
});

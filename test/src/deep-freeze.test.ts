import { expect, it } from 'vitest';
import { deepFreeze } from '../../src/deep-freeze.js';

it('freezes lists and objects at any depth, and gives the same object back', () => {
  const data = { list: [{ word: 'a' }], none: null };
  expect(deepFreeze(data)).toBe(data);
  expect(() => data.list.push({ word: 'b' })).toThrow(TypeError);
  expect(() => Object.assign(data.list[0] ?? {}, { word: 'b' })).toThrow(TypeError);
  let deep: unknown[] = [];
  for (let depth = 0; depth < 100_000; depth++) {
    deep = [deep];
  }
  expect(Object.isFrozen(deepFreeze(deep))).toBe(true);
});

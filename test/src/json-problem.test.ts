import { expect, it } from 'vitest';
import { jsonProblem } from '../../src/json-problem.js';

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) {
    value = level % 2 === 0 ? [value] : { inner: value };
  }
  return value;
}

it.each([null, 1, 'text', [], { a: [1, { b: null }] }, nested(64)])(
  '%j has no problem',
  (value) => {
    expect(jsonProblem(value)).toBeNull();
  },
);

it('finds what JSON cannot express, wherever it is', () => {
  expect(jsonProblem({ a: [{ b: Number.POSITIVE_INFINITY }] })).toContain('Infinity');
  expect(jsonProblem(Number.NaN)).toContain('NaN');
  expect(jsonProblem(nested(65))).toContain('nested more than 64 levels');
});

it('ends for a value that holds itself, and for one that refers to its parts over and over', () => {
  const circle: unknown[] = [];
  circle.push(circle, circle);
  expect(jsonProblem(circle)).toContain('nested');
  let bomb: unknown = ['x'];
  for (let level = 0; level < 60; level += 1) {
    bomb = Array(10).fill(bomb);
  }
  expect(jsonProblem(bomb)).toBeNull();
});

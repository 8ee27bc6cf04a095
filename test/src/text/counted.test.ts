import { expect, test } from 'vitest';
import { counted } from '../../../src/text/counted.js';

test.each([
  [0, '0 tasks'],
  [1, '1 task'],
  [2, '2 tasks'],
])('%d is said as "%s"', (count, said) => {
  expect(counted(count, 'task')).toBe(said);
});

test('irregular nouns and shortened numbers', () => {
  expect(counted(1, 'retry', { plural: 'retries' })).toBe('1 retry');
  expect(counted(2, 'retry', { plural: 'retries' })).toBe('2 retries');
  expect(counted(12_300, 'token', { shown: (count) => `${count / 1000}k` })).toBe('12.3k tokens');
});

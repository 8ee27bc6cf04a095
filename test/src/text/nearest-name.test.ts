import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../../src/text/nearest-name.js';

test.each([
  ['terminl', ['terminal', 'file'], 'terminal'],
  ['termianl', ['terminal'], 'terminal'],
  ['Read_File', ['write_file', 'read_file'], 'read_file'],
  ['wbe', ['file', 'web'], 'web'],
  ['x', ['terminal', 'file'], null],
  ['', ['a'], 'a'],
  ['browser_task', ['browser_tasks', 'browser_use'], 'browser_tasks'],
  ['anything', [], null],
])('"%s" among %j is taken for %j', (name, candidates, expected) => {
  expect(nearestName(name, candidates)).toBe(expected);
});

test('the first of equally close names wins, and a swap of neighbours is one mistake', () => {
  expect(nearestName('cat', ['bat', 'rat'])).toBe('bat');
  expect(nearestName('ba', ['ab'])).toBe('ab');
});

test('a very long name is answered at once', () => {
  expect(nearestName('x'.repeat(1_000_000), ['terminal'])).toBe(null);
});

test('letters that changed places are more likely than one that is missing', () => {
  expect(nearestName('modle', ['module', 'model'])).toBe('model');
});

test('a sentence about an unknown name ends with the suggestion, or with a full stop', () => {
  expect(didYouMean('file')).toBe('; did you mean "file"?');
  expect(didYouMean(null)).toBe('.');
});

import { expect, test } from 'vitest';
import { RequestQueue } from '../../../runners/store/request-queue.js';

function drain(queue: RequestQueue<string, string>): string[] {
  const items: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    items.push(next.item);
  }
  return items;
}

test('a sender with many requests does not hold up one with a single request', () => {
  const queue = new RequestQueue<string, string>();
  for (const item of ['l1', 'l2', 'l3', 'l4']) {
    queue.push('lane', item, false);
  }
  queue.push('main', 'm1', false);
  expect(queue.size).toBe(5);
  expect(drain(queue)).toEqual(['l1', 'm1', 'l2', 'l3', 'l4']);
  expect(queue.size).toBe(0);
});

test('the requests of one sender keep their order', () => {
  const queue = new RequestQueue<string, string>();
  queue.push('a', 'a1', false);
  queue.push('b', 'b1', false);
  queue.push('a', 'a2', true);
  queue.push('a', 'a3', false);
  expect(drain(queue).filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
});

test('a late request waits for what others had sent by then, but not for what they send later', () => {
  const queue = new RequestQueue<string, string>();
  queue.push('main', 'reclaim', true);
  queue.push('lane', 'commit 1', false);
  queue.push('lane', 'commit 2', false);
  expect(queue.take()?.item).toBe('commit 1');
  queue.push('lane', 'later', false);
  expect(queue.take()?.item).toBe('commit 2');
  expect(drain(queue)).toEqual(['reclaim', 'later']);
});

test('late requests do not wait for one another', () => {
  const queue = new RequestQueue<string, string>();
  queue.push('a', 'a1', true);
  queue.push('b', 'b1', true);
  expect(drain(queue)).toHaveLength(2);
});

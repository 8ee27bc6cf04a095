import { expect, it } from 'vitest';
import { Slots } from '../../../src/sandbox/slots.js';

const never = new AbortController().signal;

it('lets no more than so many in, and the others in their order', async () => {
  const slots = new Slots(2);
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const all = [0, 1, 2, 3].map((number) =>
    slots.run(() => {
      begun.push(number);
      return new Promise<number>((resolve) => {
        ends.push(() => resolve(number));
      });
    }, never),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  expect(await all[1]).toBe(1);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const place of [0, 2, 3]) {
    ends[place]?.();
    await all[place];
  }
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('gives a place back after an error, and none to who gave up waiting', async () => {
  const slots = new Slots(1);
  let fail = () => {};
  const first = slots.run(
    () =>
      new Promise<never>((_, reject) => {
        fail = () => reject(new Error('broken'));
      }),
    never,
  );
  const controller = new AbortController();
  const second = slots.run(async () => 'second', controller.signal);
  const third = slots.run(async () => 'third', never);
  controller.abort();
  await expect(second).rejects.toMatchObject({ code: 'sandbox_unavailable' });
  fail();
  await expect(first).rejects.toThrow('broken');
  expect(await third).toBe('third');
  await expect(slots.run(async () => 'late', AbortSignal.abort())).rejects.toThrow('cancelled');
});

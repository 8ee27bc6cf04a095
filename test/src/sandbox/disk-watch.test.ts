import { expect, it } from 'vitest';
import { DiskWatch } from '../../../src/sandbox/disk-watch.js';
import { fakeClock } from '../../../testing/fake-clock.js';

function watched(limitBytes: number) {
  const disk = {
    limitBytes,
    used: 0,
    measured: 0,
    exceeded: [] as number[],
    measure: async () => {
      disk.measured += 1;
      return disk.used;
    },
    onExceeded: (bytes: number) => void disk.exceeded.push(bytes),
  };
  return disk;
}

it('measures nobody while the free space stays', async () => {
  const clock = fakeClock();
  const disk = watched(800);
  new DiskWatch({ freeBytes: async () => 1e6, clock }).add(disk);
  await clock.advance(60_000);
  expect(disk.measured).toBe(0);
});

it('finds who wrote more than its limit, once, and leaves the others alone', async () => {
  const clock = fakeClock();
  let free = 10_000;
  const watch = new DiskWatch({ freeBytes: async () => free, clock });
  const [small, large] = [watched(800), watched(8_000)];
  watch.add(small);
  watch.add(large);
  await clock.advance(1_000);
  small.used = 801;
  large.used = 900;
  // Less in each look than would be noticed, but more in all of them.
  for (let look = 0; look < 3; look += 1) {
    free -= 50;
    await clock.advance(1_000);
  }
  expect([small.exceeded, large.exceeded]).toEqual([[801], []]);
  free -= 5_000;
  await clock.advance(5_000);
  expect([small.exceeded, large.exceeded]).toEqual([[801], []]);
});

it('does not measure who has gone, and can be used again', async () => {
  const clock = fakeClock();
  let free = 10_000;
  const watch = new DiskWatch({ freeBytes: async () => free, clock });
  const gone = watched(100);
  watch.add(gone)();
  await clock.advance(2_000);
  const next = watched(100);
  watch.add(next);
  await clock.advance(1_000);
  next.used = 200;
  free = 0;
  await clock.advance(1_000);
  expect([gone.measured, next.exceeded]).toEqual([0, [200]]);
});

it('measures one after the other where free space cannot be seen', async () => {
  const clock = fakeClock();
  const watch = new DiskWatch({ freeBytes: async () => null, clock });
  const disks = [watched(100), watched(100)];
  for (const disk of disks) {
    watch.add(disk);
  }
  await clock.advance(20_000);
  expect(disks.map(({ measured }) => measured)).toEqual([2, 2]);
});

import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.js';

describe('fakeClock', () => {
  it('stands still until it is advanced', async () => {
    const clock = fakeClock({ now: 1000 });
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it('fires timers in order, each at its own time', async () => {
    const clock = fakeClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push(`b at ${clock.monotonic()}`));
    clock.after(10, () => fired.push(`a at ${clock.monotonic()}`));
    clock.after(31, () => fired.push('too late'));
    const cancel = clock.after(5, () => fired.push('cancelled'));
    cancel();
    await clock.advance(30);
    expect(fired).toEqual(['a at 10', 'b at 20']);
    expect(clock.waiting).toBe(1);
  });

  it('carries a loop of sleeps along', async () => {
    const clock = fakeClock();
    let rounds = 0;
    const looping = (async () => {
      while (rounds < 5) {
        await clock.sleep(100);
        rounds += 1;
      }
    })();
    await clock.advance(499);
    expect(rounds).toBe(4);
    await clock.advance(1);
    await looping;
    expect(clock.waiting).toBe(0);
  });

  it('ends a sleep when its signal aborts, before or during', async () => {
    const clock = fakeClock();
    await clock.sleep(100, AbortSignal.abort());
    const controller = new AbortController();
    const sleeping = clock.sleep(100, controller.signal);
    controller.abort();
    await sleeping;
    expect(clock.waiting).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.js';
import { closeWithin } from '../../../src/rollout/close-within.js';
import { type Aborting, withinLimit } from '../../../src/rollout/within-limit.js';

const forever = () => new Promise<never>(() => {});
const clock = systemClock;
const signal = new AbortController().signal;

describe('work within a limit', () => {
  it('gives its value, or rejects with its own error', async () => {
    const limit = { clock, signal, timeoutMs: 1000 };
    expect(await withinLimit(async () => 5, limit)).toEqual({ state: 'done', value: 5 });
    const bad = () => {
      throw new Error('at once');
    };
    await expect(withinLimit(bad, limit)).rejects.toThrow('at once');
  });

  it('is given up after its time, and told so', async () => {
    let told = false;
    const work = ({ signal: inner }: Aborting) => {
      inner.addEventListener('abort', () => {
        told = true;
      });
      return forever();
    };
    expect(await withinLimit(work, { clock, signal, timeoutMs: 5 })).toEqual({ state: 'timeout' });
    expect(told).toBe(true);
  });

  it('does not start after an abort', async () => {
    let started = false;
    const work = async () => {
      started = true;
    };
    const aborted = { clock, signal: AbortSignal.abort(), timeoutMs: null };
    expect(await withinLimit(work, aborted)).toEqual({ state: 'aborted' });
    expect(started).toBe(false);
  });

  it('hands over a value that came too late', async () => {
    const controller = new AbortController();
    const late = new Promise<string>((resolve) => {
      const work = () =>
        new Promise<string>((done) => {
          controller.abort();
          queueMicrotask(() => done('late'));
        });
      void withinLimit(work, {
        clock,
        signal: controller.signal,
        timeoutMs: null,
        onLate: resolve,
      });
    });
    expect(await late).toBe('late');
  });

  it('closes what it can and says what it cannot', async () => {
    expect(await closeWithin({ close: async () => {} }, clock, 1000)).toBeNull();
    expect(await closeWithin({ close: forever }, clock, 5)).toBe('not closed within 0.005 s');
    const failing = {
      close: async () => {
        throw new Error('no engine');
      },
    };
    expect(await closeWithin(failing, clock, 1000)).toBe('no engine');
  });
});

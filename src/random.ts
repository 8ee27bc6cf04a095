import { sha256 } from './hash.js';

/** A source of numbers in [0, 1). `Math.random` is one; {@link seededRandom} is a repeatable one. */
export type Random = () => number;

/**
 * A 32-bit seed for one purpose, derived from the run's seed and what is being seeded, so that it does not
 * depend on order: `deriveSeed(runSeed, taskKey, sample, 'toolsets')`.
 */
export function deriveSeed(...parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256(JSON.stringify(parts)).slice(0, 8), 16);
}

/** The mulberry32 generator: 32 bits of state, the same sequence on every platform. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

import { isJsonObject } from '../src/json.js';
import { rewardLimit } from '../src/rollout/reward.js';

/** What became of one reward: the part of its outcome that does not depend on its configuration. */
export interface Verdict {
  readonly state: 'scored' | 'not_applicable' | 'failed';
  readonly value: number | null;
  readonly metrics: { readonly [name: string]: number };
  readonly explanation: string | null;
  readonly error: string | null;
}

/**
 * Reads what a reward function returned: its score, or a bare number or null in place of one, as users' modules return
 * it. Anything that is not a number within the limits or null is `failed`, since 0 would be a claim about the rollout.
 */
export function readScore(returned: unknown): Verdict {
  const score = typeof returned === 'number' || returned === null ? { value: returned } : returned;
  if (!isJsonObject(score) || !('value' in score)) {
    return failed(
      `Returned ${shown(returned)}. Return {value: number}, or {value: null} when it does not apply.`,
    );
  }
  const { value, metrics, explanation } = score;
  if (value !== null && !isFiniteNumber(value)) {
    return failed(`Returned the value ${shown(value)}. A reward is a finite number or null.`);
  }
  if (value !== null && Math.abs(value) > rewardLimit) {
    return failed(
      `Returned the value ${value}. A reward lies between -${rewardLimit} and ${rewardLimit}, so that totals and means of them are numbers.`,
    );
  }
  if (metrics !== undefined && !isJsonObject(metrics)) {
    return failed(`Returned the metrics ${shown(metrics)}. Metrics are an object of numbers.`);
  }
  const numbers: [string, number][] = [];
  for (const [name, metric] of Object.entries(metrics ?? {})) {
    if (!isFiniteNumber(metric)) {
      return failed(`Returned ${shown(metric)} as metric ${name}. Metrics are finite numbers.`);
    }
    numbers.push([name.toWellFormed(), metric]);
  }
  return {
    state: value === null ? 'not_applicable' : 'scored',
    value,
    metrics: Object.fromEntries(numbers),
    explanation:
      explanation === undefined || explanation === null ? null : clipped(String(explanation)),
    error: null,
  };
}

/** A verdict without a score, and why. */
export function failed(why: string): Verdict {
  return {
    state: 'failed',
    value: null,
    metrics: {},
    explanation: null,
    error: clipped(why),
  };
}

const maxChars = 10_000;

function clipped(text: string): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text).toWellFormed();
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Array.isArray(value)
      ? 'a list'
      : 'an object'
    : `${String(value)} (${typeof value})`;
}

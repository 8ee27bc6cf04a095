import { parse } from 'yaml';
import { messageOf, TalariaError } from '../errors.js';
import { didYouMean, nearestName } from '../text/nearest-name.js';
import type { Distribution } from './distribution.js';

/**
 * Reads a distribution from YAML: `name`, `description` (may be left out) and `toolsets`, a table of percentages from 0 to
 * 100 whose order counts. Throws a `config` error that names `source` and what is wrong there.
 */
export function parseDistribution(text: string, source: string): Distribution {
  const fail = (problem: string, cause?: unknown): TalariaError =>
    new TalariaError({ code: 'config', message: `${source}: ${problem}`, cause });

  let value: unknown;
  try {
    // Maps keep the order of the file, also of names that look like numbers.
    value = parse(text, { mapAsMap: true });
  } catch (thrown) {
    throw fail(`is not valid YAML: ${messageOf(thrown)}`, thrown);
  }
  if (!(value instanceof Map)) {
    throw fail(`must be a table with the keys ${knownKeys.join(', ')}.`);
  }
  for (const key of value.keys()) {
    if (!knownKeys.includes(key)) {
      throw fail(`unknown key "${key}"${didYouMean(nearestName(String(key), knownKeys))}`);
    }
  }
  const name: unknown = value.get('name');
  if (typeof name !== 'string' || name.trim() === '') {
    throw fail(`"name" must be a text, got ${show(name)}.`);
  }
  const description: unknown = value.get('description') ?? '';
  if (typeof description !== 'string') {
    throw fail(`"description" must be a text, got ${show(description)}.`);
  }
  const toolsets: unknown = value.get('toolsets');
  if (!(toolsets instanceof Map) || toolsets.size === 0) {
    throw fail(`"toolsets" must be a table of toolset: percent, got ${show(toolsets)}.`);
  }
  const entries = [...toolsets].map(([toolset, percent]): readonly [string, number] => {
    if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
      throw fail(`"toolsets.${toolset}" must be a percentage from 0 to 100, got ${show(percent)}.`);
    }
    return [String(toolset), percent];
  });
  if (entries.every(([, percent]) => percent === 0)) {
    throw fail('every toolset has 0 percent, so that no rollout could have one.');
  }
  return Object.freeze({ name, description, toolsets: Object.freeze(entries) });
}

const knownKeys: readonly unknown[] & readonly string[] = ['name', 'description', 'toolsets'];

function show(value: unknown): string {
  return value instanceof Map ? 'a table' : `\`${JSON.stringify(value) ?? 'nothing'}\``;
}

import { type ParsedJson, parseJson } from '../src/json.js';
import { isNestedDeeper, maxNesting } from '../src/nesting.js';

/**
 * Parses JSON text that other readers take as well. Python's json overflows its stack at some hundred levels, and refuses
 * integers of more than 4,300 digits; `JSON.parse` takes both.
 */
export function parsePortable(text: string): ParsedJson {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    return parsed;
  }
  if (isNestedDeeper(parsed.value, maxNesting)) {
    return { ok: false, error: `nested more than ${maxNesting} levels deep` };
  }
  // Digits in a text do no harm, and neither do those behind a point.
  return longDigits.test(text) && holdsInfinity(parsed.value)
    ? { ok: false, error: 'a number of thousands of digits' }
    : parsed;
}

const longDigits = /\d{4000}/;

function holdsInfinity(value: unknown): boolean {
  return typeof value === 'object' && value !== null
    ? Object.values(value).some(holdsInfinity)
    : value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

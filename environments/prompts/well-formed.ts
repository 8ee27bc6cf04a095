import { isJsonObject, type Json } from '../../src/json.js';

/** A JSON value whose texts are well-formed: a lone surrogate, which no UTF-8 file can hold, becomes U+FFFD. */
export function wellFormed(value: Json): Json {
  if (typeof value === 'string') {
    return value.toWellFormed();
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]),
      )
    : value;
}

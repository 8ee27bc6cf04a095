import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf, TalariaError } from '../errors.js';
import type { RolloutRecord } from './record.js';

/**
 * The record as gzip of UTF-8 JSON. The bytes own their buffer, so they can be transferred to another thread. Level 1:
 * more would cost a worker more time than the disk saves.
 */
export function encodeRecord(record: RolloutRecord): Uint8Array<ArrayBuffer> {
  // A copy: a small buffer may be a view of a shared pool, which must never be transferred.
  return new Uint8Array(gzipSync(JSON.stringify(record), { level: 1 }));
}

/** Reads what {@link encodeRecord} wrote. Throws a TalariaError (`run_damaged`) for anything else. */
export function decodeRecord(bytes: Uint8Array): RolloutRecord {
  let record: RolloutRecord;
  try {
    record = JSON.parse(gunzipSync(bytes).toString('utf8'));
  } catch (thrown) {
    throw new TalariaError({
      code: 'run_damaged',
      message: `A stored record cannot be read: ${messageOf(thrown)}.`,
      cause: thrown,
    });
  }
  if (record?.schema !== 'talaria/record/1') {
    throw new TalariaError({
      code: 'run_damaged',
      message: `A stored record has the schema ${JSON.stringify(record?.schema)}; this version reads talaria/record/1.`,
    });
  }
  return record;
}

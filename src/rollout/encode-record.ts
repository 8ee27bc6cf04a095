import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf, TalariaError } from '../errors.js';
import type { RolloutRecord } from './record.js';

/**
 * Level 1: more would cost a worker more time than the disk saves. A small hash table: to get and clear the usual one takes as
 * long as to compress a record of 8 KB, and makes it no smaller.
 */
const gzipOptions = { level: 1, memLevel: 5 } as const;

/** The record as gzip of UTF-8 JSON. The bytes own their buffer, so they can be transferred to another thread. */
export function encodeRecord(record: RolloutRecord): Uint8Array<ArrayBuffer> {
  // A copy: a small buffer may be a view of a shared pool, which must never be transferred.
  return new Uint8Array(gzipSync(JSON.stringify(withoutRepeat(record)), gzipOptions));
}

/** Reads what {@link encodeRecord} wrote. Throws a TalariaError (`run_damaged`) for anything else. */
export function decodeRecord(bytes: Uint8Array): RolloutRecord {
  let record: RolloutRecord;
  try {
    record = withRepeat(JSON.parse(gunzipSync(bytes).toString('utf8')));
  } catch (thrown) {
    throw damaged(`A stored record cannot be read: ${messageOf(thrown)}.`, thrown);
  }
  if (record?.schema !== 'talaria/record/1') {
    throw damaged(
      `A stored record has the schema ${JSON.stringify(record?.schema)}; this version reads talaria/record/1.`,
    );
  }
  return record;
}

/** The prompt is in a record twice, as the task's and as the first thing said. It is stored once: null stands for it. */
type StoredRecord = Omit<RolloutRecord, 'task'> & {
  readonly task: Omit<RolloutRecord['task'], 'prompt'> & { readonly prompt: string | null };
};

const firstSaid = 1;

function withoutRepeat(record: RolloutRecord): RolloutRecord | StoredRecord {
  const said = record.messages[firstSaid];
  return said?.role === 'user' && said.content === record.task.prompt
    ? { ...record, task: { ...record.task, prompt: null } }
    : record;
}

function withRepeat(record: RolloutRecord | StoredRecord): RolloutRecord {
  const prompt = record.task.prompt ?? record.messages[firstSaid]?.content ?? '';
  return { ...record, task: { ...record.task, prompt } };
}

function damaged(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'run_damaged', message, cause });
}

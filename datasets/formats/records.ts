import type { RolloutRecord } from '../../src/rollout/record.js';
import type { Format } from '../format.js';
import { jsonText } from '../json-text.js';
import { orderedRecord } from '../ordered-record.js';

/** The records themselves, one a line: what other tools read, and what the other formats can be made from. */
export const records: Format = {
  name: 'records',
  description: 'The complete records (JSONL), one a line, whatever their status',
  extension: 'jsonl',
  losses: [],
  async *encode(stored, options) {
    for await (const record of stored) {
      yield recordLine(record, options.onFlag);
    }
  },
};

function recordLine(
  record: RolloutRecord,
  onFlag: (taskKey: string, sample: number, flag: string) => void,
): string {
  const { text, repaired } = jsonText(orderedRecord(record));
  if (repaired) {
    onFlag(record.task_key, record.sample, 'repaired_unicode');
  }
  return `${text}\n`;
}

import type { Database, Statement } from 'better-sqlite3';
import type { Leases } from './leases.js';
import type { JournalEntry } from './run-store.js';
import { isDuplicateKey } from './store-error.js';

/** Replies of rollouts that are not done, in the order of the calls. */
export class JournalTable {
  readonly #leases: Leases;
  readonly #read: Statement<[number], JournalEntry>;
  readonly #insert: Statement<[number, number, string, string]>;
  readonly #forgetFrom: Statement<[number, number]>;

  constructor(database: Database, leases: Leases) {
    this.#leases = leases;
    this.#read = database.prepare(
      `SELECT sequence, request_hash AS requestHash, reply FROM journal WHERE rollout_id = ? ORDER BY sequence`,
    );
    this.#insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?)');
    this.#forgetFrom = database.prepare(
      'DELETE FROM journal WHERE rollout_id = ? AND sequence >= ?',
    );
  }

  read(rolloutId: number): JournalEntry[] {
    return this.#read.all(rolloutId);
  }

  /** What an earlier attempt left from this call on belongs to another conversation: it goes. */
  append(rolloutId: number, lease: number, entry: JournalEntry): 'stored' | 'stale' {
    if (!this.#leases.isCurrent(rolloutId, lease)) {
      return 'stale';
    }
    try {
      this.#insertEntry(rolloutId, entry);
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) {
        throw thrown;
      }
      this.#forgetFrom.run(rolloutId, entry.sequence);
      this.#insertEntry(rolloutId, entry);
    }
    return 'stored';
  }

  clear(rolloutId: number, lease: number): void {
    if (this.#leases.isCurrent(rolloutId, lease)) {
      this.#forgetFrom.run(rolloutId, 0);
    }
  }

  /** The end of the rollout's journal, whoever holds it. */
  remove(rolloutId: number): void {
    this.#forgetFrom.run(rolloutId, 0);
  }

  #insertEntry(rolloutId: number, { sequence, requestHash, reply }: JournalEntry): void {
    this.#insert.run(rolloutId, sequence, requestHash, reply);
  }
}

import type { MessagePort } from 'node:worker_threads';
import type { Database, Statement, Transaction } from 'better-sqlite3';
import { TalariaError } from '../../src/errors.js';
import { decodeAppends } from './append-text.js';
import { FileGuard } from './file-guard.js';
import { JournalTable } from './journal-table.js';
import { Leases } from './leases.js';
import { OutcomeTable } from './outcome-table.js';
import { PaidCalls } from './paid-calls.js';
import { PlanTable } from './plan-table.js';
import type {
  CallName,
  ErrorData,
  StoreCalls,
  StoreReply,
  StoreRequest,
  ToStore,
} from './protocol.js';
import { RequestQueue } from './request-queue.js';
import { Schedule } from './schedule.js';
import { isFatal, storeError } from './store-error.js';
import { Tally } from './tally.js';

type Handlers = {
  readonly [Name in CallName]: (input: StoreCalls[Name]['input']) => StoreCalls[Name]['output'];
};

export interface StoreServerOptions {
  readonly path: string;
  readonly database: Database;
  /** Number of this start of the run. */
  readonly start: number;
  /** Called once, after the last reply. */
  readonly onClose: () => void;
}

/** A {@link ReplyMessage} that is being filled. */
interface Replies {
  readonly stored: number[];
  readonly others: StoreReply[];
}

/**
 * Calls that write nothing or one row, or undo what they did themselves when they fail. A savepoint for each would cost more than
 * to store a reply.
 */
const unguarded: ReadonlySet<CallName> = new Set([
  'append',
  'commit',
  'planned',
  'next',
  'reclaim',
  'retry',
  'counts',
  'spent',
  'journal',
  'close',
]);
/** Calls that wait for what other senders had sent: see {@link RequestQueue}. */
const late: ReadonlySet<CallName> = new Set(['reclaim', 'fail', 'reopen', 'close']);
/**
 * Replies and outcomes of the workers wait until so long after the last transaction began: an fsync costs as much as
 * hundreds of them, and a call to a model takes a hundred times as long.
 */
const pauseMs = 4;
const patient: ReadonlySet<CallName> = new Set(['append', 'commit']);
/** No transaction works longer than this before it is committed and acknowledged. */
const batchMs = 25;

/**
 * The writer. Whatever arrived while the last transaction was written, or shortly after, goes into the next one, from all
 * senders in turn, and is acknowledged when that is on disk. After a failure of the database nothing is written any more and
 * every request is refused with that failure.
 */
export class StoreServer {
  readonly #options: StoreServerOptions;
  readonly #queue = new RequestQueue<MessagePort, StoreRequest>();
  readonly #ports = new Set<MessagePort>();
  readonly #handlers: Handlers;
  readonly #guard: FileGuard;
  readonly #plan: PlanTable;
  readonly #tally: Tally;
  readonly #newestStart: Statement<[], number>;
  readonly #batch: Transaction<() => void>;
  readonly #guarded: Transaction<(request: StoreRequest) => unknown>;
  /** Replies of the batch at hand, by sender. */
  #replies = new Map<MessagePort, Replies>();
  /** Requests that were taken for the batch at hand. */
  #taken: { readonly source: MessagePort; readonly id: number }[] = [];
  #scheduled: 'no' | 'later' | 'now' = 'no';
  #timer: NodeJS.Timeout | undefined;
  #lastBegan = Number.NEGATIVE_INFINITY;
  #closing = false;
  #failure: ErrorData | null = null;

  constructor(options: StoreServerOptions) {
    const { database, start } = options;
    this.#options = options;
    const leases = new Leases();
    const tally = new Tally(database);
    const plan = new PlanTable(database, tally);
    const paid = new PaidCalls(database, leases, tally);
    const schedule = new Schedule(database, plan, leases, paid);
    const journal = new JournalTable(database, leases);
    const outcomes = new OutcomeTable(database, start, { plan, tally, leases, journal });
    this.#guard = new FileGuard(options.path, database);
    this.#plan = plan;
    this.#tally = tally;
    this.#newestStart = database.prepare<[], number>('SELECT max(number) FROM start').pluck();
    this.#guarded = database.transaction((request: StoreRequest) => this.#handle(request));
    this.#batch = database.transaction(() => this.#runBatch());
    this.#handlers = {
      planned: () => plan.planned(),
      beginPlan: () => {
        schedule.restart();
        plan.begin();
        return null;
      },
      plan: ({ tasks, samples }) => plan.add(tasks, samples),
      endPlan: ({ fingerprint, samples }) => {
        plan.end(fingerprint, samples);
        return null;
      },
      next: (count) => schedule.next(count),
      reclaim: (rolloutId) => schedule.reclaim(rolloutId),
      retry: (rolloutId) => schedule.retry(rolloutId),
      fail: ({ rolloutId, ...error }) => {
        outcomes.fail(rolloutId, error);
        return null;
      },
      reopen: (errorClass) => {
        outcomes.reopen(errorClass);
        return null;
      },
      counts: () => tally.counts(plan.tasks, plan.samples),
      spent: () => paid.spent(),
      journal: (rolloutId) => journal.read(rolloutId),
      append: ([rolloutId, lease, sequence, requestHash, reply]) =>
        journal.append(rolloutId, lease, { sequence, requestHash, reply }),
      clearJournal: ({ rolloutId, lease }) => {
        paid.giveUp(rolloutId, lease);
        journal.clear(rolloutId, lease);
        return null;
      },
      commit: (outcome) => outcomes.commit(outcome),
      close: () => {
        this.#closing = true;
        return null;
      },
    };
  }

  /** Serves one more sender, until its port closes. What it had sent by then is still done. */
  serve(port: MessagePort): void {
    this.#ports.add(port);
    port.on('message', (message: ToStore) => {
      if ('connect' in message) {
        this.serve(message.connect);
      } else {
        for (const request of [...decodeAppends(message.appends), ...message.requests]) {
          this.#queue.push(port, request, late.has(request.call));
          this.#schedule(patient.has(request.call));
        }
      }
    });
    port.once('close', () => this.#ports.delete(port));
  }

  /** Ports deliver everything that is waiting before this runs: that makes the batch. */
  #schedule(mayWait: boolean): void {
    if (this.#scheduled === 'now' || (this.#scheduled === 'later' && mayWait)) {
      return;
    }
    clearTimeout(this.#timer);
    const waitMs = mayWait ? this.#lastBegan + pauseMs - performance.now() : 0;
    if (waitMs > 0) {
      this.#scheduled = 'later';
      this.#timer = setTimeout(() => this.#flush(), waitMs);
    } else {
      this.#scheduled = 'now';
      setImmediate(() => this.#flush());
    }
  }

  #flush(): void {
    this.#scheduled = 'no';
    this.#lastBegan = performance.now();
    try {
      this.#refuseAfterFailure();
      this.#guard.check();
      if (this.#queue.size > 0) {
        this.#batch.immediate();
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
    for (const [port, replies] of this.#replies) {
      port.postMessage(replies);
    }
    this.#replies = new Map();
    this.#taken = [];
    if (this.#closing) {
      this.#close();
    } else if (this.#queue.size > 0) {
      this.#schedule(false);
    }
  }

  #runBatch(): void {
    this.#checkFence();
    const end = performance.now() + batchMs;
    do {
      const next = this.#queue.take();
      if (next === undefined) {
        break;
      }
      const { source, item } = next;
      this.#taken.push({ source, id: item.id });
      this.#reply(source, this.#run(item));
    } while (!this.#closing && performance.now() < end);
    this.#plan.save();
    this.#tally.save();
  }

  /** One request. Its own mistake undoes only what it did; a failing database ends the batch. */
  #run(request: StoreRequest): StoreReply {
    const { id } = request;
    try {
      const value = unguarded.has(request.call) ? this.#handle(request) : this.#guarded(request);
      return { id, value };
    } catch (thrown) {
      if (isFatal(thrown)) {
        throw thrown;
      }
      return { id, error: dataOf(storeError(thrown, this.#options.path)) };
    }
  }

  #handle<Name extends CallName>(request: {
    readonly call: Name;
    readonly input: StoreCalls[Name]['input'];
  }): unknown {
    return this.#handlers[request.call](request.input);
  }

  /** The lock file may be deleted by hand. Whoever opened the run last is its writer, and the earlier one must stop. */
  #checkFence(): void {
    if (this.#newestStart.get() !== this.#options.start) {
      throw new TalariaError({
        code: 'run_locked',
        message: `Another process has taken over ${this.#options.path}. This one stops; the other goes on.`,
      });
    }
  }

  /** Nothing of the batch is on disk, and what memory says about it is void: the store ends here. */
  #fail(thrown: unknown): void {
    this.#failure = dataOf(storeError(thrown, this.#options.path));
    this.#replies = new Map();
    for (const { source, id } of this.#taken) {
      this.#reply(source, { id, error: this.#failure });
    }
    this.#refuseAfterFailure();
  }

  #refuseAfterFailure(): void {
    const error = this.#failure;
    if (error === null) {
      return;
    }
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) {
      if (next.item.call === 'close') {
        this.#closing = true;
        this.#reply(next.source, { id: next.item.id, value: null });
      } else {
        this.#reply(next.source, { id: next.item.id, error });
      }
    }
  }

  #reply(source: MessagePort, reply: StoreReply): void {
    let replies = this.#replies.get(source);
    if (replies === undefined) {
      replies = { stored: [], others: [] };
      this.#replies.set(source, replies);
    }
    if ('value' in reply && reply.value === 'stored') {
      replies.stored.push(reply.id);
    } else {
      replies.others.push(reply);
    }
  }

  #close(): void {
    for (const port of this.#ports) {
      port.close();
    }
    this.#options.onClose();
  }
}

function dataOf({ code, message }: TalariaError): ErrorData {
  return { code, message };
}

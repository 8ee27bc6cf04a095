import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../src/errors.js';
import type {
  JournalEntry,
  Outcome,
  PendingRollout,
  PlanStep,
  RunCounts,
  Spent,
} from './run-store.js';

/** A planned task as it crosses to the store's thread. */
export interface EncodedTask {
  readonly key: string;
  /** The user's own id for it. */
  readonly name: string | null;
  /** As {@link encodeTask} wrote it. */
  readonly body: string;
}

/** A list, since there are thousands a second: the names of an object would be copied with each. */
export type AppendInput = readonly [
  rolloutId: number,
  lease: number,
  sequence: number,
  requestHash: string,
  reply: string,
];

/** Every request to the store's thread, with what goes in and what comes out. */
export interface StoreCalls {
  planned: {
    input: null;
    output: { readonly fingerprint: string; readonly samples: number } | null;
  };
  beginPlan: { input: null; output: null };
  plan: {
    input: { readonly tasks: readonly EncodedTask[]; readonly samples: number };
    output: PlanStep;
  };
  endPlan: {
    input: { readonly fingerprint: string | null; readonly samples: number };
    output: null;
  };
  next: { input: number; output: readonly PendingRollout[] };
  reclaim: { input: number; output: PendingRollout | null };
  retry: { input: number; output: PendingRollout };
  fail: {
    input: { readonly rolloutId: number; readonly class: string; readonly message: string };
    output: null;
  };
  reopen: { input: string; output: null };
  counts: { input: null; output: RunCounts };
  spent: { input: null; output: Spent };
  close: { input: null; output: null };
  journal: { input: number; output: readonly JournalEntry[] };
  append: {
    input: AppendInput;
    output: 'stored' | 'stale';
  };
  clearJournal: { input: { readonly rolloutId: number; readonly lease: number }; output: null };
  commit: { input: Outcome; output: 'stored' | 'stale' };
}

export type CallName = keyof StoreCalls;

/** A request of any kind. */
export type StoreRequest = {
  [Name in CallName]: {
    readonly id: number;
    readonly call: Name;
    readonly input: StoreCalls[Name]['input'];
  };
}[CallName];

/** From the main thread only: a port of a new lane. */
export interface ConnectMessage {
  readonly connect: MessagePort;
}

/** Everything that one sender asked in one turn of its event loop. */
export interface RequestMessage {
  /** Those that are `append`, as {@link encodeAppends} writes them; they come before the others. */
  readonly appends: string;
  readonly requests: readonly StoreRequest[];
}

export type ToStore = RequestMessage | ConnectMessage;

/** A TalariaError as plain data. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
}

export type StoreReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorData };

/** Replies to everything of one sender that one transaction made durable. */
export interface ReplyMessage {
  /** Ids of the requests whose reply is `stored`: nearly all. */
  readonly stored: readonly number[];
  readonly others: readonly StoreReply[];
}

/** The run that the thread has opened. */
export interface OpenedRun {
  readonly runId: string;
  readonly name: string;
  readonly resumed: boolean;
}

/** First message of the thread, before any reply. */
export type OpenMessage = { readonly opened: OpenedRun } | { readonly refused: ErrorData };

export type FromStore = ReplyMessage | OpenMessage;

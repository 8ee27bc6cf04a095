import { sha256 } from '../../src/hash.js';
import type { Message } from '../../src/messages/message.js';
import type { Model, ModelReply, ModelRequest, ModelResult } from '../../src/models/model.js';
import type { JournalEntry } from '../store/run-store.js';

export interface JournaledModelOptions {
  readonly inner: Model;
  /** Replies that an earlier attempt paid for, by sequence. */
  readonly journal: readonly JournalEntry[];
  /** The prompt of the task and its key, which stands for it: to hash a long text costs as much as the call. */
  readonly prompt: { readonly text: string; readonly key: string };
  /** Stores a reply; resolves when it is on disk. */
  append(entry: JournalEntry): Promise<'stored' | 'stale'>;
}

/**
 * Answers from the turn journal as long as it is asked what the journal's replies were given for, and from the real model
 * after that; each paid reply is on disk before the agent sees it. When the question differs, since a command did not
 * repeat its result, it fails with class `replay_diverged`: the caller starts the rollout over.
 */
export class JournaledModel implements Model {
  readonly name: string;
  readonly requiredTools?: readonly string[];
  readonly #options: JournaledModelOptions;
  #sequence = 0;

  constructor(options: JournaledModelOptions) {
    this.#options = options;
    this.name = options.inner.name;
    if (options.inner.requiredTools !== undefined) {
      this.requiredTools = options.inner.requiredTools;
    }
  }

  waitedMs(): number {
    return this.#options.inner.waitedMs?.() ?? 0;
  }

  async generate(request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
    const { inner, journal, prompt, append } = this.#options;
    const sequence = this.#sequence;
    this.#sequence += 1;
    const requestHash = hashRequest(request, prompt);
    const entry = journal[sequence];
    if (entry !== undefined) {
      return entry.requestHash === requestHash ? replayed(entry) : diverged(sequence);
    }
    const result = await inner.generate(request, signal);
    if (!result.ok) {
      return result;
    }
    // A store that failed ends the whole run, and says why: it is no failure of this rollout.
    const stored = await append({
      sequence,
      requestHash,
      reply: JSON.stringify(result.reply),
    }).catch(() => 'failed' as const);
    return stored === 'stored' ? result : notStored();
  }
}

function replayed(entry: JournalEntry): ModelResult {
  const reply = JSON.parse(entry.reply) as ModelReply;
  return { ok: true, reply: { ...reply, replayed: true } };
}

function diverged(sequence: number): ModelResult {
  return failure(
    'replay_diverged',
    `The results before call ${sequence + 1} are not those of the first time.`,
  );
}

function notStored(): ModelResult {
  return failure(
    'cancelled',
    'The reply cannot be stored: the run ends, or another worker has this rollout.',
  );
}

function failure(failureClass: 'replay_diverged' | 'cancelled', message: string): ModelResult {
  return { ok: false, failure: { class: failureClass, retryable: true, message, attempts: 0 } };
}

/** Hash of what the model is asked anew: everything after its last reply, and the offer when it has not replied yet. */
function hashRequest(request: ModelRequest, prompt: JournaledModelOptions['prompt']): string {
  const { messages } = request;
  let first = messages.length;
  while (first > 0 && messages[first - 1]?.role !== 'assistant') {
    first -= 1;
  }
  let asked = first === 0 ? JSON.stringify(request.tools) : '';
  for (let index = first; index < messages.length; index += 1) {
    const message = messages[index] as Message;
    const id = message.role === 'tool' ? message.tool_call_id : '';
    // The key leaves the white space around a prompt out.
    const content =
      message.content === prompt.text ? `${prompt.key} ${prompt.text.length}` : message.content;
    asked += `\n${message.role} ${id}\n${content}`;
  }
  return sha256(asked);
}

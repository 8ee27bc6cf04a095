import { usageError } from '../../errors.js';
import { fileProblem } from '../../file-problem.js';
import { sha256 } from '../../hash.js';
import { isJsonObject, parseJson } from '../../json.js';
import type { OfflineTurn } from '../offline-reply.js';
import { indexLines, type LineRange, readLine } from './line-index.js';
import { type RecordingKeys, recordedTurns, recordingKeys } from './recorded-turns.js';

interface Recording {
  readonly sample: number | null;
  readonly range: LineRange;
}

/** Finds recorded turns in a JSONL file. Holds the places of the lines and not the lines. */
export class ReplayIndex {
  readonly #path: string;
  readonly #byTask = new Map<string, Recording[]>();
  readonly #byPrompt = new Map<string, Recording[]>();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file once. Throws a TalariaError (`usage`) that names file and line. */
  static async open(path: string): Promise<ReplayIndex> {
    const index = new ReplayIndex(path);
    try {
      for await (const { text, range, number } of indexLines(path)) {
        if (text.trim() !== '') {
          index.#add(keysOf(text, path, number), range);
        }
      }
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code !== 'usage') {
        throw usageError(`Cannot read model.replay_path ${path}: ${fileProblem(thrown)}.`, thrown);
      }
      throw thrown;
    }
    return index;
  }

  /** The turns for a rollout: by task key, else by the prompt's text; null when nothing was recorded for it. */
  async find(
    taskKey: string,
    sample: number,
    prompt: string,
  ): Promise<readonly OfflineTurn[] | null> {
    const recording =
      pick(this.#byTask.get(taskKey), sample) ??
      pick(this.#byPrompt.get(promptKey(prompt)), sample);
    if (recording === null) {
      return null;
    }
    const line = parseJson(await readLine(this.#path, recording.range));
    return line.ok && isJsonObject(line.value) ? recordedTurns(line.value) : null;
  }

  #add({ taskKey, sample, prompt }: RecordingKeys, range: LineRange): void {
    if (taskKey !== null) {
      push(this.#byTask, taskKey, { sample, range });
    }
    if (prompt !== null) {
      push(this.#byPrompt, promptKey(prompt), { sample, range });
    }
  }
}

function keysOf(text: string, path: string, number: number): RecordingKeys {
  const parsed = parseJson(text);
  const keys = parsed.ok && isJsonObject(parsed.value) ? recordingKeys(parsed.value) : null;
  if (keys === null) {
    const reason = parsed.ok ? 'expected a record, or {prompt or task_key, turns}' : parsed.error;
    throw usageError(`${path}, line ${number}: not a recording (${reason})`);
  }
  return keys;
}

/**
 * The recording of this very sample; else, of those that name no sample, the one in its place, or the only one.
 */
function pick(recordings: readonly Recording[] | undefined, sample: number): Recording | null {
  if (recordings === undefined) {
    return null;
  }
  const named = recordings.find((recording) => recording.sample === sample);
  if (named !== undefined) {
    return named;
  }
  const open = recordings.filter((recording) => recording.sample === null);
  return (open.length === 1 ? open[0] : open[sample]) ?? null;
}

function push(map: Map<string, Recording[]>, key: string, recording: Recording): void {
  const list = map.get(key);
  if (list === undefined) {
    map.set(key, [recording]);
  } else {
    list.push(recording);
  }
}

/** A hash, so that the index does not hold every prompt. */
function promptKey(prompt: string): string {
  return sha256(prompt.trim());
}

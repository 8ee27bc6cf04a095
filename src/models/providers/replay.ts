import { messageOf, usageError } from '../../errors.js';
import type { AbortLike } from '../../lazy-abort.js';
import { counted } from '../../text/counted.js';
import type { Model, ModelRequest, ModelResult } from '../model.js';
import type { ModelProvider, ModelRollout } from '../model-provider.js';
import { type OfflineTurn, offlineFailure, offlineReply } from '../offline-reply.js';
import { ReplayIndex } from '../replay/replay-index.js';

/** Says again what was recorded: the same commands in a new sandbox, without a model to pay. */
export const replay: ModelProvider = {
  name: 'replay',
  description: 'repeats recorded assistant turns (set replay_path)',
  offline: true,
  async open(config) {
    if (config.replayPath === null) {
      throw usageError('The replay model needs model.replay_path: a JSONL file of recorded turns');
    }
    const index = await ReplayIndex.open(config.replayPath);
    return {
      forRollout: (rollout) => new ReplayModel(config.use, rollout, index),
      close: async () => {},
    };
  },
};

class ReplayModel implements Model {
  readonly name: string;
  readonly #rollout: ModelRollout;
  readonly #index: ReplayIndex;
  #turns: Promise<readonly OfflineTurn[] | null> | null = null;

  constructor(name: string, rollout: ModelRollout, index: ReplayIndex) {
    this.name = name;
    this.#rollout = rollout;
    this.#index = index;
  }

  async generate({ messages }: ModelRequest, signal: AbortLike): Promise<ModelResult> {
    const { task, taskKey, sample } = this.#rollout;
    const label = `task ${task.id ?? taskKey.slice(0, 12)}, sample ${sample}`;
    try {
      this.#turns ??= this.#index.find(taskKey, sample, task.prompt);
      const turns = await this.#turns;
      if (turns === null) {
        return offlineFailure('replay_exhausted', `nothing was recorded for ${label}`);
      }
      const position = messages.filter((message) => message.role === 'assistant').length;
      const turn = turns[position];
      return turn === undefined
        ? offlineFailure(
            'replay_exhausted',
            `no more recorded turns of ${label}: ${counted(turns.length, 'turn')} used up`,
          )
        : offlineReply('replay', turn, signal);
    } catch (thrown) {
      return offlineFailure('replay_exhausted', `the recording of ${label}: ${messageOf(thrown)}`);
    }
  }
}

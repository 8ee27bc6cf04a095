import { messageOf } from '../../errors.js';
import type { AbortLike } from '../../lazy-abort.js';
import type { Model, ModelRequest, ModelResult } from '../model.js';
import type { ModelProvider, ModelRollout } from '../model-provider.js';
import { offlineFailure, offlineReply } from '../offline-reply.js';
import { readSolution, type SolutionStep } from '../oracle/read-solution.js';

/** Types the task's reference solution into the terminal: proves a task, its tests and the pipeline without a model. */
export const oracle: ModelProvider = {
  name: 'oracle',
  description: "types the scripts of the task's solution/ folder into the terminal",
  offline: true,
  async open(config) {
    return {
      forRollout: (rollout) => new OracleModel(config.use, rollout),
      close: async () => {},
    };
  },
};

class OracleModel implements Model {
  readonly name: string;
  readonly requiredTools = ['terminal'];
  readonly #rollout: ModelRollout;
  #solution: Promise<readonly SolutionStep[] | null> | null = null;

  constructor(name: string, rollout: ModelRollout) {
    this.name = name;
    this.#rollout = rollout;
  }

  async generate({ messages }: ModelRequest, signal: AbortLike): Promise<ModelResult> {
    const { task, taskKey } = this.#rollout;
    const label = task.id ?? taskKey.slice(0, 12);
    if (task.folder === null) {
      return noSolution(`task ${label} has no folder, so it has no solution/ for the oracle`);
    }
    try {
      this.#solution ??= readSolution(task.folder);
      const steps = await this.#solution;
      if (steps === null) {
        return noSolution(`task ${label} has no solution: no *.sh file in ${task.folder}/solution`);
      }
      // The conversation says how far it has come, so that a resumed rollout goes on where it was.
      const turn = messages.filter((message) => message.role === 'assistant').length;
      const step = steps[turn];
      return step === undefined
        ? offlineReply('oracle', { content: finalAnswer(task.answer) }, signal)
        : offlineReply('oracle', typed(step, turn), signal);
    } catch (thrown) {
      return noSolution(`the solution of task ${label} cannot be read: ${messageOf(thrown)}`);
    }
  }
}

function noSolution(message: string): ModelResult {
  return offlineFailure('bad_request', message);
}

function typed({ command, rationale }: SolutionStep, turn: number) {
  const call = {
    id: `call_oracle_${turn}`,
    name: 'terminal',
    arguments: JSON.stringify({ command: command.toWellFormed() }),
  };
  return { reasoning: rationale, tool_calls: [call] };
}

/** The task's own answer where it has one as text, for environments that compare it. */
function finalAnswer(answer: unknown): string {
  return typeof answer === 'string' && answer.trim() !== '' ? answer : 'The task is done.';
}

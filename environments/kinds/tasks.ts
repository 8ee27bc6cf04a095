import { createHash } from 'node:crypto';
import { TalariaError } from '../../src/errors.js';
import type { Task } from '../../src/rollout/task.js';
import type { Environment, EnvironmentConfig, EnvironmentKind } from '../environment.js';
import { requirePath } from '../require-path.js';
import { findTaskFolders } from '../tasks/find-task-folders.js';
import { readTaskFolder } from '../tasks/read-task-folder.js';

/** Task folders: instruction, files, tests and solution. */
export const tasks: EnvironmentKind = {
  kind: 'tasks',
  description:
    'A task folder (task.yaml, instruction.md, files/, tests/, solution/), or a folder of them.',
  open: async (config) => new TasksEnvironment(requirePath(config), config.onBadRow),
};

class TasksEnvironment implements Environment {
  readonly name = 'tasks';
  readonly #path: string;
  readonly #onBadRow: EnvironmentConfig['onBadRow'];
  #skipped = 0;

  constructor(path: string, onBadRow: EnvironmentConfig['onBadRow']) {
    this.#path = path;
    this.#onBadRow = onBadRow;
  }

  async *tasks(): AsyncGenerator<Task> {
    this.#skipped = 0;
    const folderOfId = new Map<string | null, string>();
    for (const folder of await findTaskFolders(this.#path)) {
      let task: Task;
      try {
        task = await readTaskFolder(folder);
        refuseSecond(task, folder, folderOfId);
      } catch (thrown) {
        if (this.#onBadRow === 'skip' && TalariaError.isInstance(thrown)) {
          this.#skipped++;
          continue;
        }
        throw thrown;
      }
      yield task;
    }
  }

  async fingerprint(): Promise<string> {
    const hash = createHash('sha256').update('tasks/1\n');
    // As tasks and not as files: a bad one is told here, before the first rollout has begun.
    for await (const { folder, digest } of this.tasks()) {
      hash.update(`${JSON.stringify([folder, digest])}\n`);
    }
    return hash.update(String(this.#skipped)).digest('hex');
  }

  skippedRows(): number {
    return this.#skipped;
  }
}

function refuseSecond(task: Task, folder: string, folderOfId: Map<string | null, string>): void {
  const first = folderOfId.get(task.id);
  if (first !== undefined) {
    throw new TalariaError({
      code: 'data_set',
      message: `${first} and ${folder} both have the id ${task.id}. Give each task an id of its own in task.yaml.`,
    });
  }
  folderOfId.set(task.id, folder);
}

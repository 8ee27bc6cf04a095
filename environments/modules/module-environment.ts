import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, TalariaError, usageError } from '../../src/errors.js';
import type { Task } from '../../src/rollout/task.js';
import { BadTask, shown } from '../bad-task.js';
import type { Environment, EnvironmentConfig } from '../environment.js';
import { TaskFileReader } from '../task-files.js';
import { completeTask } from './complete-task.js';

/**
 * Opens a user's `.js` or `.mjs` file that exports `environment`: the object itself, or a function of the entry's options
 * that returns it, perhaps as a promise. Throws a usage error that says what is missing.
 */
export async function openModule(path: string, config: EnvironmentConfig): Promise<Environment> {
  if (!existsSync(path)) {
    throw usageError(`The environment module ${path} does not exist.`);
  }
  let exported: Record<string, unknown>;
  try {
    exported = await import(pathToFileURL(path).href);
  } catch (thrown) {
    throw usageError(
      `The environment module ${path} cannot be loaded: ${messageOf(thrown)}`,
      thrown,
    );
  }
  const { environment } = exported;
  if (environment === undefined) {
    const names = Object.keys(exported);
    throw usageError(
      `${path} must export \`environment\`. ${names.length === 0 ? 'It exports nothing.' : `It exports ${names.join(', ')}.`}`,
    );
  }
  let opened: unknown;
  try {
    opened =
      typeof environment === 'function' ? await environment(config.options) : await environment;
  } catch (thrown) {
    throw usageError(
      `The environment of ${path} could not be opened: ${messageOf(thrown)}`,
      thrown,
    );
  }
  return checked(checkShape(opened, path), path, config.onBadRow);
}

const optionalMethods = ['fingerprint', 'skippedRows', 'prompt', 'setup', 'score'] as const;

function checkShape(value: unknown, path: string): Environment {
  if (typeof value !== 'object' || value === null) {
    throw usageError(`\`environment\` of ${path} must be an object, not ${shown(value)}.`);
  }
  const given = value as { readonly [key: string]: unknown };
  if (typeof given['name'] !== 'string' || given['name'].trim() === '') {
    throw usageError(`\`environment.name\` of ${path} must be text, not ${shown(given['name'])}.`);
  }
  if (typeof given['tasks'] !== 'function') {
    throw usageError(
      `\`environment.tasks\` of ${path} must be a method that yields tasks, not ${shown(given['tasks'])}.`,
    );
  }
  for (const name of optionalMethods) {
    if (given[name] !== undefined && typeof given[name] !== 'function') {
      throw usageError(
        `\`environment.${name}\` of ${path} must be a method, not ${shown(given[name])}.`,
      );
    }
  }
  return value as Environment;
}

/** The same environment, with its tasks checked and completed. Its methods keep it as their `this`. */
function checked(
  own: Environment,
  path: string,
  onBadRow: EnvironmentConfig['onBadRow'],
): Environment {
  let skipped = 0;
  const { fingerprint, prompt, setup, score, scoreNeedsSandbox } = own;
  return {
    name: own.name,
    tasks: async function* tasks(): AsyncGenerator<Task> {
      skipped = 0;
      const files = new TaskFileReader(dirname(path));
      let number = 0;
      try {
        for await (const task of own.tasks()) {
          number++;
          const completed = await complete(task, files);
          if (completed !== null) {
            yield completed;
          }
        }
      } catch (thrown) {
        throw TalariaError.isInstance(thrown) ? thrown : taskError(path, number, thrown);
      }
    },
    skippedRows: () => skipped + (own.skippedRows?.() ?? 0),
    ...(fingerprint && { fingerprint: fingerprint.bind(own) }),
    ...(prompt && { prompt: prompt.bind(own) }),
    ...(setup && { setup: setup.bind(own) }),
    ...(score && { score: score.bind(own) }),
    ...(scoreNeedsSandbox !== undefined && { scoreNeedsSandbox }),
  };

  async function complete(task: unknown, files: TaskFileReader): Promise<Task | null> {
    try {
      return await completeTask(task, files);
    } catch (thrown) {
      if (onBadRow === 'skip' && thrown instanceof BadTask) {
        skipped++;
        return null;
      }
      throw thrown;
    }
  }
}

function taskError(path: string, number: number, thrown: unknown): TalariaError {
  const where = thrown instanceof BadTask ? `task ${number}` : `after task ${number}`;
  return new TalariaError({
    code: 'data_set',
    message: `${path}, ${where}: ${messageOf(thrown)}.`,
    cause: thrown,
  });
}

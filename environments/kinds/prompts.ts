import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TalariaError } from '../../src/errors.js';
import { fileProblem } from '../../src/file-problem.js';
import type { Task } from '../../src/rollout/task.js';
import { BadTask } from '../bad-task.js';
import type { Environment, EnvironmentConfig, EnvironmentKind } from '../environment.js';
import { fingerprintFile } from '../prompts/fingerprint-file.js';
import { otherFormatAdvice } from '../prompts/other-format.js';
import { parseRow } from '../prompts/parse-row.js';
import { type Line, readLines } from '../prompts/read-lines.js';
import { rowToTask } from '../prompts/row-to-task.js';
import { requirePath } from '../require-path.js';
import { TaskFileReader } from '../task-files.js';

/** A JSONL file of prompts: one JSON object a line, read as a stream. */
export const prompts: EnvironmentKind = {
  kind: 'prompts',
  description: 'A JSONL file, one object with a `prompt` a line.',
  open: async (config) => {
    const path = requirePath(config);
    const found = await stat(path).catch((thrown: unknown) => {
      throw dataSetError(
        `The data set ${path} cannot be read: ${fileProblem(thrown)}. A relative path counts from the folder of the configuration file, and that of a flag from the current folder.`,
        thrown,
      );
    });
    if (found.isDirectory()) {
      throw dataSetError(
        `The data set ${path} is a folder. \`kind: prompts\` reads a JSONL file; task folders are \`kind: tasks\`.`,
      );
    }
    if (!found.isFile()) {
      // It is read more than once, and opening a pipe that nobody writes to would wait for ever.
      throw dataSetError(
        `The data set ${path} is a pipe, a socket or a device. It is read several times and has to be a file: save what it gives, and name that.`,
      );
    }
    return new PromptsEnvironment(path, config.onBadRow);
  },
};

class PromptsEnvironment implements Environment {
  readonly name = 'prompts';
  readonly #path: string;
  readonly #onBadRow: EnvironmentConfig['onBadRow'];
  #skipped = 0;

  constructor(path: string, onBadRow: EnvironmentConfig['onBadRow']) {
    this.#path = path;
    this.#onBadRow = onBadRow;
  }

  async *tasks(): AsyncGenerator<Task> {
    this.#skipped = 0;
    let first = true;
    const files = new TaskFileReader(dirname(this.#path));
    for await (const line of readLines(this.#path)) {
      let task: Task | null;
      try {
        const row = parseRow(line);
        task = row === undefined ? null : await rowToTask(row, files);
      } catch (thrown) {
        this.#badRow(line, first, thrown);
        continue;
      }
      if (task !== null) {
        first = false;
        yield task;
      }
    }
  }

  fingerprint(): Promise<string> {
    return fingerprintFile(this.#path);
  }

  skippedRows(): number {
    return this.#skipped;
  }

  #badRow({ number, text }: Line, first: boolean, thrown: unknown): void {
    if (!(thrown instanceof BadTask)) {
      throw thrown;
    }
    if (this.#onBadRow === 'error') {
      const advice =
        (first ? otherFormatAdvice(this.#path, text) : null) ??
        'Mend the line, or set on_bad_row: skip to leave out such lines.';
      throw dataSetError(`${this.#path}, line ${number}: ${thrown.message}. ${advice}`, thrown);
    }
    this.#skipped++;
  }
}

function dataSetError(message: string, cause?: unknown): TalariaError {
  return new TalariaError({ code: 'data_set', message, cause });
}

import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { FormatOptions } from '../../../datasets/format.js';
import { usageError } from '../../../src/errors.js';
import { fileProblem } from '../../../src/file-problem.js';
import { counted } from '../../../src/text/counted.js';
import { safeForTerminal } from '../../../src/text/safe-for-terminal.js';
import type { CommandBody } from '../command.js';
import type { CommandContext } from '../command-context.js';
import { exitCode } from '../exit-codes.js';
import { findRun } from '../find-run.js';
import { FlagCounts } from '../flag-counts.js';
import { parseWhere } from '../parse-where.js';

/** `talaria export <run> --format F [--out PATH|-] [--where ...] [--system-preamble FILE]` */
export const exportRun: CommandBody = async ({ positionals: [run = ''], flags }, context) => {
  const { services, cwd, stdout, stderr } = context;
  const [name] = flags.get('format') ?? [];
  if (name === undefined) {
    throw usageError(
      `export needs --format F. There are ${(await (await services.catalog()).formats()).join(', ')}.`,
    );
  }
  const filter = parseWhere(flags.get('where') ?? []);
  const directory = findRun(run, cwd);
  const format = await services.loadFormat(name);
  const counts = new FlagCounts();
  const options: FormatOptions = {
    systemPreamble: await preamble(flags.get('system-preamble')?.[0] ?? null, context),
    onFlag: (_task, _sample, flag) => counts.add(flag),
  };
  const [out = join(directory, 'export', `${format.name}.${format.extension}`)] =
    flags.get('out') ?? [];
  const reader = await services.openRunReader(directory);
  try {
    // By id or the beginning of a key, as for `show`; the store knows whole keys only.
    const taskKeys = filter.taskKeys?.map((task) => reader.find(task, 0).taskKey);
    const records = reader.records(taskKeys === undefined ? filter : { ...filter, taskKeys });
    if (out === '-') {
      for await (const piece of format.encode(records, options)) {
        if (!(await stdout.write(piece))) {
          break;
        }
      }
      await stderr.write(counts.text());
    } else {
      const { drain } = context.interrupts();
      const path = resolve(cwd, out);
      const result = await services
        .writeExport({ format, records, path, options, signal: drain })
        .catch((thrown: unknown) => {
          if (drain.aborted) {
            return null;
          }
          throw thrown;
        });
      if (result === null) {
        await stderr.write('Interrupted: nothing was written.\n');
        return exitCode.interrupted;
      }
      await stderr.write(counts.text());
      await stdout.write(
        `${counted(result.rows, 'row')}: ${safeForTerminal(relative(cwd, result.path) || result.path)}\n`,
      );
    }
  } finally {
    reader.close();
  }
  return exitCode.done;
};

async function preamble(file: string | null, { cwd }: CommandContext): Promise<string | null> {
  if (file === null) {
    return null;
  }
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw usageError(`--system-preamble: cannot read ${file}: ${fileProblem(thrown)}.`, thrown);
  }
}

import type { RolloutRecord } from '../src/rollout/record.js';

/** An export format: one file in `formats/`, one export. A pure function of records. */
export interface Format {
  readonly name: string;
  readonly description: string;
  /** Extension of a one-file format, without a dot. */
  readonly extension: string;
  /** What a record holds and this format cannot. Shown by `list formats`. */
  readonly losses: readonly string[];
  /**
   * The file, one row a piece, its line end included. Holds one record at a time. Records come in plan order: all
   * samples of a task together, tasks as in the data set.
   */
  encode(records: AsyncIterable<RolloutRecord>, options: FormatOptions): AsyncIterable<string>;
}

export interface FormatOptions {
  /** Text in place of the built-in preamble of the system turn (`--system-preamble`), or null. */
  readonly systemPreamble: string | null;
  /** Called for a row that could not be written faithfully, once for each thing that is wrong with it. */
  onFlag(taskKey: string, sample: number, flag: string): void;
}

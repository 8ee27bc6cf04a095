/** One option as the user gave it, before it is checked. */
export interface Setting {
  /** Full key: `agent.max_turns`, `models.judge.use`, or `environment.` and a key of the environment's own. */
  readonly key: string;
  /**
   * Readings of what was written, in the order in which they are tried: a flag is first taken as text and then as
   * YAML, so that `--model 123` and `--seed 123` both mean what they say.
   */
  readonly readings: readonly unknown[];
  /** The value with `${VARIABLE}` as written, where it held one; else absent. */
  readonly raw?: unknown;
  readonly origin: SettingOrigin;
}

/** Where a setting was written. */
export interface SettingOrigin {
  /** `c.yaml:3:5`, `--max-turns`, `--set agent.max_turns` or `TALARIA_AGENT_MAX_TURNS`. */
  readonly text: string;
  /** Directory that relative paths start from, absolute. */
  readonly directory: string;
  /** Higher wins. Two settings that exclude each other are an error only on the same layer. */
  readonly layer: number;
}

/** Layers above those of files, which count up from 0 with the file that nothing extends on top. */
export const layers = { environment: 1000, set: 1001, flag: 1002 } as const;

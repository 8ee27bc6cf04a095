/** A named table of toolset probabilities; each toolset is drawn on its own. */
export interface Distribution {
  readonly name: string;
  readonly description: string;
  /** Toolset name to probability in percent, 0 to 100, in the order of the file. */
  readonly toolsets: readonly (readonly [toolset: string, percent: number])[];
}

/** One turn of a Hermes conversation: text with markup in it. */
export interface HermesTurn {
  readonly from: 'system' | 'human' | 'gpt' | 'tool';
  readonly value: string;
}

/** The two parts of `provider:model`. */
export interface ModelName {
  readonly provider: string;
  /** All after the first colon; may hold colons and slashes. Empty when there is no colon. */
  readonly model: string;
}

/** Splits `provider:model` at its first colon. */
export function parseModelName(use: string): ModelName {
  const colon = use.indexOf(':');
  return colon === -1
    ? { provider: use, model: '' }
    : { provider: use.slice(0, colon), model: use.slice(colon + 1) };
}

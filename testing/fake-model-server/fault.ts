/**
 * How a request can fail.
 * `hang` never answers, `reset` closes the connection before an answer and `cut` in the middle of one,
 * `malformed` is JSON that breaks off, `html` a page with status 200, `no_choices` a JSON object without any,
 * `error_in_200` an error object with status 200, `empty` a reply without text and calls.
 */
export type FakeFault =
  | {
      readonly type: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly error?: FakeErrorBody;
    }
  | { readonly type: 'hang' | 'reset' | 'cut' | 'malformed' | 'html' | 'no_choices' | 'empty' }
  | { readonly type: 'error_in_200'; readonly error: FakeErrorBody };

export interface FakeErrorBody {
  readonly message: string;
  readonly type?: string;
  readonly code?: string | number | null;
}

/** A fault with the requests that it hits. */
export interface FaultRule {
  readonly fault: FakeFault;
  /** Only the first so many requests of each conversation state. */
  readonly times: number;
  /** Only the conversation state with so many assistant turns; null for all. */
  readonly turn: number | null;
}

/**
 * The faults that a prompt asks for, by markers such as `[fault:429]` (always), `[fault:429x2]` (the first two
 * requests of each conversation state) and `[fault:cutx1@3]` (only once there are three assistant turns).
 */
export function faultsInPrompt(prompt: string): readonly FaultRule[] {
  const rules: FaultRule[] = [];
  for (const [, kind, times, turn] of prompt.matchAll(
    /\[fault:(\d{3}|[a-z_]+?(?:200)?)(?:x(\d+))?(?:@(\d+))?\]/g,
  )) {
    const fault = faultOf(kind ?? '');
    if (fault !== null) {
      rules.push({
        fault,
        times: times === undefined ? Number.POSITIVE_INFINITY : Number(times),
        turn: turn === undefined ? null : Number(turn),
      });
    }
  }
  return rules;
}

function faultOf(kind: string): FakeFault | null {
  switch (kind) {
    case 'hang':
    case 'reset':
    case 'cut':
    case 'malformed':
    case 'html':
    case 'no_choices':
    case 'empty':
      return { type: kind };
    case 'error_in_200':
      return { type: 'error_in_200', error: { message: 'upstream failed', code: 502 } };
    default:
      return /^\d{3}$/.test(kind) ? { type: 'status', status: Number(kind) } : null;
  }
}

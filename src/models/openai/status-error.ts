import { APIError } from 'openai';

/** An answer with an error status. Keeps the whole body: the SDK's own error knows only one way to write errors. */
export class StatusError extends APIError<number, Headers> {
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown;

  constructor(status: number, body: unknown, text: string | undefined, headers: Headers) {
    super(status, undefined, text, headers);
    this.name = 'StatusError';
    this.body = body ?? text ?? '';
  }
}

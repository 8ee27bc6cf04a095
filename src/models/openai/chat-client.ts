import { OpenAI } from 'openai';
import { Stream } from 'openai/core/streaming';
import { parseJson } from '../../json.js';
import type { AbortLike } from '../../lazy-abort.js';
import type { LeanFetch, LeanResponse } from '../lean-fetch.js';
import { StatusError } from './status-error.js';

export interface ChatClientOptions {
  /** Where requests go, whole. */
  readonly url: string;
  /** Null: no `authorization` header is sent. */
  readonly apiKey: string | null;
  readonly headers: { readonly [name: string]: string };
  readonly lean: LeanFetch;
}

/**
 * The `openai` client for one address and ready-made bodies. Address and headers are the same for every call and are made
 * once; what the SDK does around each request for retries, logs and key rotation, none of which are used here, costs
 * more than the request itself and is left out. It never retries, never logs, and has no time limit: `withRetry` has.
 */
export class ChatClient extends OpenAI {
  readonly #url: string;
  readonly #headers: { readonly [name: string]: string };
  readonly #lean: LeanFetch;

  constructor({ url, apiKey, headers, lean }: ChatClientOptions) {
    // Every setting is named: the SDK takes those that are not from the process's environment.
    super({
      baseURL: url,
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      logLevel: 'off',
    });
    this.#url = url;
    this.#lean = lean;
    const all = new Headers({
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'talaria',
      ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
    });
    for (const [name, value] of Object.entries(headers)) {
      all.set(name, value);
    }
    this.#headers = Object.fromEntries(all);
  }

  /** The answer to a request, its body not read yet. Throws a {@link StatusError} for an error status. */
  async send(body: Uint8Array, signal: AbortLike): Promise<LeanResponse> {
    const response = await this.#lean.fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body,
      signal,
    });
    if (!response.ok) {
      const text = await response.text();
      const parsed = parseJson(text);
      throw new StatusError(
        response.status,
        parsed.ok ? parsed.value : undefined,
        parsed.ok ? undefined : text,
        response.headers as unknown as Headers,
      );
    }
    return response;
  }

  /** The events of a streamed answer. Throws as the SDK does for one that is broken. */
  events(response: LeanResponse): AsyncIterable<unknown> {
    // The lean response has every part of a Response that the SDK reads.
    const whole = response as unknown as Response;
    return Stream.fromSSEResponse<unknown>(whole, new AbortController(), this);
  }
}

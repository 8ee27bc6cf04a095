import { OpenAI } from 'openai';
import { APIPromise } from 'openai/core/api-promise';
import { parseJson } from '../../json.js';
import type { LeanFetch } from '../lean-fetch.js';
import { StatusError } from './status-error.js';

export interface ChatClientOptions {
  /** Where requests go, whole. */
  readonly url: string;
  /** Null: no `authorization` header is sent. */
  readonly apiKey: string | null;
  readonly headers: { readonly [name: string]: string };
  readonly lean: LeanFetch;
}

type RequestOptions = Awaited<Parameters<OpenAI['request']>[0]>;
type Answer = Awaited<ConstructorParameters<typeof APIPromise>[1]>;

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
  send(body: Uint8Array, signal: AbortSignal): Promise<Response> {
    return this.post('', { body, signal }).asResponse();
  }

  override request<Result>(options: RequestOptions | Promise<RequestOptions>): APIPromise<Result> {
    return new APIPromise<Result>(this, this.#answer(options));
  }

  async #answer(given: RequestOptions | Promise<RequestOptions>): Promise<Answer> {
    const options = await given;
    const lean = await this.#lean.fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: options.body as Uint8Array,
      signal: options.signal ?? null,
    });
    // The lean response has every part of a Response that the SDK and this project read.
    const response = lean as unknown as Response;
    if (!lean.ok) {
      const text = await lean.text();
      const parsed = parseJson(text);
      const body = parsed.ok ? (parsed.value as object) : undefined;
      throw this.makeStatusError(
        lean.status,
        body as object,
        body ? undefined : text,
        response.headers,
      );
    }
    return { response, options, ...unused };
  }

  protected override makeStatusError(
    status: number,
    error: object,
    message: string | undefined,
    headers: Headers,
  ): StatusError {
    return new StatusError(status, error, message, headers);
  }
}

/** What the SDK keeps of each request for its logs, and for aborting streams: ours have their own signal. */
const unused = {
  controller: new AbortController(),
  requestLogID: '',
  retryOfRequestLogID: undefined,
  startTime: 0,
};

/** The part of `Headers` that is read of a response, over what the HTTP client gives, without a copy. */
export class LeanHeaders {
  readonly #values: ResponseHeaders;

  constructor(values: ResponseHeaders) {
    this.#values = values;
  }

  get(name: string): string | null {
    const value = this.#values[name.toLowerCase()];
    return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *entries(): IterableIterator<[string, string]> {
    for (const [name, value] of Object.entries(this.#values)) {
      if (value !== undefined) {
        yield [name, typeof value === 'string' ? value : value.join(', ')];
      }
    }
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

/** Header names in lower case. */
type ResponseHeaders = { readonly [name: string]: string | string[] | undefined };

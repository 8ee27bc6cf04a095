import type { StoreRequest } from './protocol.js';

/** A reply for the turn journal, on its way to the store's thread. */
export type AppendRequest = Extract<StoreRequest, { readonly call: 'append' }>;

/**
 * Requests as one text: there are thousands a second, and to clone an object from one thread to another costs several
 * times as much as all else that is done with it. Three lines for each; a reply is JSON, which has no line break of its own.
 */
export function encodeAppends(requests: readonly AppendRequest[]): string {
  let text = '';
  for (const { id, input } of requests) {
    const [rolloutId, lease, sequence, requestHash, reply] = input;
    text += `${id} ${rolloutId} ${lease} ${sequence}\n${requestHash}\n${reply}\n`;
  }
  return text;
}

/** Reads what {@link encodeAppends} wrote. */
export function* decodeAppends(text: string): Generator<AppendRequest> {
  const lines = text.split('\n');
  for (let at = 0; at + 2 < lines.length; at += 3) {
    const [head = '', requestHash = '', reply = ''] = lines.slice(at, at + 3);
    const [id, rolloutId, lease, sequence] = head.split(' ').map(Number);
    yield {
      id: id ?? 0,
      call: 'append',
      input: [rolloutId ?? 0, lease ?? 0, sequence ?? 0, requestHash, reply],
    };
  }
}

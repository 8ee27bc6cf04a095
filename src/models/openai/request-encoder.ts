import type { Message } from '../../messages/message.js';
import type { EncodedPrompt } from '../../rollout/task-text.js';
import { wireMessage } from './wire-message.js';

const head = Buffer.from('{"messages":[');
const comma = 0x2c;

/**
 * Encodes the requests of one rollout. A conversation grows by appending, so the messages stand first in the body and
 * stay encoded from call to call; a call costs what is new in it, and not the whole transcript. The bytes that
 * {@link encode} returns are valid until the next call.
 */
export class RequestEncoder {
  #buffer = Buffer.allocUnsafeSlow(4096);
  /** Bytes of head and messages. */
  #length = head.copy(this.#buffer);
  #encoded: Message[] = [];
  readonly #encodedPrompt: EncodedPrompt | undefined;

  constructor(encodedPrompt?: EncodedPrompt) {
    this.#encodedPrompt = encodedPrompt;
  }

  /** `tail` is the rest of the body: the text after the list of messages, from `]` on. */
  encode(messages: readonly Message[], tail: string): Uint8Array {
    if (!this.#isPrefixOf(messages)) {
      this.#encoded = [];
      this.#length = head.length;
    }
    for (let index = this.#encoded.length; index < messages.length; index++) {
      const message = messages[index];
      if (message !== undefined) {
        this.#append(message);
      }
    }
    const tailBytes = Buffer.byteLength(tail);
    this.#reserve(tailBytes);
    this.#buffer.write(tail, this.#length);
    return this.#buffer.subarray(0, this.#length + tailBytes);
  }

  /** By identity: messages are never changed in place. */
  #isPrefixOf(messages: readonly Message[]): boolean {
    return (
      this.#encoded.length <= messages.length &&
      this.#encoded.every((message, index) => message === messages[index])
    );
  }

  #append(message: Message): void {
    const text = this.#userText(message) ?? wireMessage(message);
    this.#reserve(Buffer.byteLength(text) + 1);
    if (this.#encoded.length > 0) {
      this.#buffer[this.#length] = comma;
      this.#length += 1;
    }
    this.#length += this.#buffer.write(text, this.#length);
    this.#encoded.push(message);
  }

  #userText(message: Message): string | null {
    const json = message.role === 'user' ? this.#encodedPrompt?.take(message.content) : null;
    return json ? `{"role":"user","content":${json}}` : null;
  }

  /** Grows by a quarter: thousands of rollouts hold one of these each. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(needed * 1.25));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
  }
}

import { describe, expect, it } from 'vitest';
import { CappedOutput, headBytes } from '../../../src/sandbox/capped-output.js';

/** What a cap should keep of a whole text. */
function expected(text: string, cap: number): string {
  const head = headBytes(cap);
  return text.length <= cap ? text : text.slice(0, head) + text.slice(text.length - (cap - head));
}

describe('a capped output', () => {
  it.each([0, 1, 2, 5, 10, 11])('with a cap of %i keeps 40 % head and 60 % tail', (cap) => {
    for (let length = 0; length <= 40; length += 1) {
      for (const size of [1, 2, 3, 7, 40]) {
        const text = Array.from({ length }, (_, index) =>
          String.fromCharCode(97 + (index % 26)),
        ).join('');
        const sink = new CappedOutput(cap);
        for (let at = 0; at < text.length; at += size) {
          sink.push(Buffer.from(text.slice(at, at + size)));
        }
        expect(sink.toBuffer().toString()).toBe(expected(text, cap));
        expect(sink.omittedBytes).toBe(Math.max(0, length - cap));
      }
    }
  });

  it('without a cap keeps everything', () => {
    const sink = new CappedOutput(Number.POSITIVE_INFINITY);
    for (let round = 0; round < 100; round += 1) {
      sink.push(Buffer.alloc(1_000, round));
    }
    expect(sink.toBuffer().length).toBe(100_000);
    expect(sink.omittedBytes).toBe(0);
  });
});

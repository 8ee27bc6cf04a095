import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CappedOutput } from '../../../src/sandbox/capped-output.js';
import { FrameReader } from '../../../src/sandbox/frame-reader.js';

const nonce = 'a'.repeat(32);

async function read(pieces: readonly (string | Buffer)[]) {
  const stream = new PassThrough();
  const reader = new FrameReader(stream);
  const sink = new CappedOutput(1_000_000);
  const end = reader.expect(nonce, sink);
  for (const piece of pieces) {
    stream.write(piece);
  }
  return { end: await end, text: sink.toBuffer().toString('latin1'), stream, reader };
}

describe('a frame reader', () => {
  it('cuts a frame out of noise, wherever the pieces are divided', async () => {
    const whole = `noise<${nonce}>out<put</${nonce.slice(1)} 1 1></${nonce} 7 1>late`;
    for (let at = 0; at <= whole.length; at += 1) {
      const { end, text } = await read([whole.slice(0, at), whole.slice(at)]);
      expect(end).toEqual({ status: 7, saved: true });
      expect(text).toBe(`out<put</${nonce.slice(1)} 1 1>`);
    }
    const { text } = await read([...whole]);
    expect(text).toBe(`out<put</${nonce.slice(1)} 1 1>`);
  });

  it('passes every byte value', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const { text } = await read([`<${nonce}>`, bytes, `</${nonce} 0 0>`]);
    expect(Buffer.from(text, 'latin1').equals(bytes)).toBe(true);
  });

  it.each([`</${nonce} x 1>`, `</${nonce} 1 2>`, `</${nonce} ${'9'.repeat(30)}`, `</${nonce} >`])(
    'tells a damaged end from a good one: %s',
    async (damaged) => {
      expect((await read([`<${nonce}>out`, damaged])).end).toBeNull();
    },
  );

  it('drops what comes between two frames', async () => {
    const { stream, reader } = await read([`<${nonce}>one</${nonce} 0 0>noise`]);
    stream.write('more noise');
    const sink = new CappedOutput(100);
    const next = reader.expect('b'.repeat(32), sink);
    stream.write(`still noise</${nonce} 0 0><${'b'.repeat(32)}>two</${'b'.repeat(32)} 0 0>`);
    await next;
    expect(sink.toBuffer().toString()).toBe('two');
  });

  it.each([
    ['of what a background job writes between two commands', '', Buffer.alloc(65_536)],
    ['of many small pieces', `<${nonce}>`, Buffer.from('x\n')],
  ])('reads a flood slower: %s', async (_name, before, piece) => {
    const stream = new PassThrough();
    const reader = new FrameReader(stream);
    let pauses = 0;
    stream.on('pause', () => {
      pauses += 1;
    });
    if (before !== '') {
      void reader.expect(nonce, new CappedOutput(1_000_000));
      stream.write(before);
    }
    for (let count = 0; count < 200; count += 1) {
      stream.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pauses).toBeGreaterThan(0);
    const end = reader.expect(nonce, new CappedOutput(1_000));
    stream.write(`<${nonce}>out</${nonce} 3 1>`);
    expect(await end).toEqual({ status: 3, saved: true });
  });

  it('does not slow down a large output that is kept', async () => {
    const stream = new PassThrough();
    let pauses = 0;
    stream.on('pause', () => {
      pauses += 1;
    });
    const reader = new FrameReader(stream);
    const end = reader.expect(nonce, new CappedOutput(100_000_000));
    stream.write(`<${nonce}>`);
    for (let count = 0; count < 200; count += 1) {
      stream.write(Buffer.alloc(65_536));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stream.write(`</${nonce} 0 1>`);
    await end;
    expect(pauses).toBe(0);
  });
});

import { PassThrough, type Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { splitStreams } from '../../../../src/sandbox/docker/multiplexed-stream.js';

function frame(stream: 1 | 2, data: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(data.length, 4);
  return Buffer.concat([header, data]);
}

async function collect(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

it.each([1, 3, 7, 8, 9, 1000])(
  'parts both streams, however they are cut (%i bytes)',
  async (size) => {
    const out = Buffer.from(`${'é'.repeat(100)}\0\xff`, 'latin1');
    const whole = Buffer.concat([
      frame(1, out),
      frame(2, Buffer.from('error')),
      frame(1, Buffer.alloc(0)),
      frame(1, Buffer.from('end')),
    ]);
    const source = new PassThrough();
    const { stdout, stderr } = splitStreams(source);
    for (let at = 0; at < whole.length; at += size) {
      source.write(whole.subarray(at, at + size));
    }
    source.end();
    expect(await collect(stdout)).toEqual(Buffer.concat([out, Buffer.from('end')]));
    expect(await collect(stderr)).toEqual(Buffer.from('error'));
  },
);

it('reads no further while one of them is not read', async () => {
  const source = new PassThrough({ highWaterMark: 1024 });
  const { stderr } = splitStreams(source);
  const data = Buffer.alloc(64 * 1024);
  let written = 0;
  while (source.write(frame(1, data)) && written < 1_000) {
    written += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(written).toBeLessThan(10);
  stderr.resume();
});

it('waits once for many pieces that come together, and loses none', async () => {
  const warnings: unknown[] = [];
  const listen = (warning: Error) => void warnings.push(warning);
  process.on('warning', listen);
  const source = new PassThrough({ highWaterMark: 1 << 22 });
  const { stdout, stderr } = splitStreams(source);
  stderr.resume();
  const piece = Buffer.alloc(20_000, 'x');
  source.end(Buffer.concat(Array.from({ length: 100 }, () => frame(1, piece))));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await collect(stdout)).length).toBe(2_000_000);
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

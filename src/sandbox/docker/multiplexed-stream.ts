import { PassThrough, type Readable } from 'node:stream';

const headerBytes = 8;
const stderrId = 2;

/**
 * Parts the one stream that the engine sends into standard output and error. Each piece has a header: its stream in byte
 * 0, its length as a big-endian number in bytes 4 to 7 (Docker Engine API, "Attach to a container"). Reads no faster than
 * both are read.
 */
export function splitStreams(source: Readable): { stdout: Readable; stderr: Readable } {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let header = Buffer.alloc(0);
  let target = stdout;
  let left = 0;
  const full = new Set<PassThrough>();
  const passOn = (stream: PassThrough, piece: Buffer) => {
    // The pieces of one chunk are all passed on; the stream drains once for them.
    if (stream.write(piece) || full.has(stream)) {
      return;
    }
    full.add(stream);
    source.pause();
    stream.once('drain', () => {
      full.delete(stream);
      if (full.size === 0) {
        source.resume();
      }
    });
  };
  source.on('data', (chunk: Buffer) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left > 0) {
        const piece = rest.subarray(0, left);
        left -= piece.length;
        rest = rest.subarray(piece.length);
        passOn(target, piece);
        continue;
      }
      const taken = headerBytes - header.length;
      header = Buffer.concat([header, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      if (header.length === headerBytes) {
        target = header[0] === stderrId ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
      }
    }
  });
  const end = () => {
    stdout.end();
    stderr.end();
  };
  source.once('end', end);
  source.once('close', end);
  source.on('error', end);
  return { stdout, stderr };
}

import { describe, expect, it } from 'vitest';
import { systemCallFilter } from '../../../src/sandbox/system-call-filter.js';

const x64 = 0xc000_003e;
const x86 = 0x4000_0003;
const arm64 = 0xc000_00b7;
const allowed = 0x7fff_0000;
const noSuchCall = 0x0005_0000 + 38;
const notPermitted = 0x0005_0000 + 1;

/** What the kernel would do: runs the few instructions that the filter is made of. */
function judge(filter: Buffer | null, audit: number, call: number, argument = 0): number {
  const data = new Map([
    [0, call],
    [4, audit],
    [16, argument],
  ]);
  let value = 0;
  for (let at = 0; filter !== null && at < filter.length; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const jump = (holds: boolean) => {
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
    };
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        value = data.get(operand) ?? 0;
        break;
      case 0x15:
        jump(value === operand);
        break;
      case 0x35:
        jump(value >= operand);
        break;
      case 0x45:
        jump((value & operand) !== 0);
        break;
      case 0x06:
        return operand;
      default:
        throw new Error('unknown instruction');
    }
  }
  throw new Error('no answer');
}

describe('the filter of system calls', () => {
  it.each([
    ['read', 0, 0, allowed],
    ['clone for a thread', 56, 0x3d0f00, allowed],
    ['clone with a user namespace', 56, 0x1000_0011, notPermitted],
    ['unshare of files', 272, 0x0002_0000, allowed],
    ['unshare of the user', 272, 0x1002_0000, notPermitted],
    ['add_key', 248, 0, noSuchCall],
    ['request_key', 249, 0, noSuchCall],
    ['keyctl', 250, 0, noSuchCall],
    ['clone3', 435, 0, noSuchCall],
    ['keyctl by the x32 table', 0x4000_00fa, 0, noSuchCall],
  ])('answers %s', (_name, call, argument, expected) => {
    expect(judge(systemCallFilter('x64'), x64, call, argument)).toBe(expected);
  });

  it('holds for 32-bit programs and other machines too', () => {
    expect(judge(systemCallFilter('x64'), x86, 288)).toBe(noSuchCall);
    expect(judge(systemCallFilter('x64'), x86, 250)).toBe(allowed);
    expect(judge(systemCallFilter('x64'), x86, 310, 0x1000_0000)).toBe(notPermitted);
    expect(judge(systemCallFilter('x64'), arm64, 0)).toBe(noSuchCall);
    expect(judge(systemCallFilter('arm64'), arm64, 219)).toBe(noSuchCall);
    expect(judge(systemCallFilter('arm64'), arm64, 250)).toBe(allowed);
    expect(systemCallFilter('vax')).toBeNull();
  });
});

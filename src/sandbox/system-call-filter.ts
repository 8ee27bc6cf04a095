/**
 * A program for the kernel's system call filter (seccomp), as `bwrap --seccomp` reads it; null for a machine that it is
 * not known for. It takes two things from a sandbox that its namespaces leave to it:
 *
 * - the kernel's keyrings (keyctl, add_key, request_key): the session's is inherited from the host, with its secrets;
 * - user namespaces of its own, in which it would have every capability, and so a way to the kernel's least tested code.
 *
 * clone3 tells its flags in memory, where a filter cannot look: it does not exist here, and libraries then use clone.
 */
export function systemCallFilter(machine: string): Buffer | null {
  const tables = machines.get(machine);
  return tables === undefined ? null : assemble(tables);
}

/** Numbers of system calls for one way into the kernel. From its `asm/unistd.h`. */
interface CallTable {
  /** `AUDIT_ARCH_*` of `linux/audit.h`. */
  readonly audit: number;
  readonly keys: readonly number[];
  readonly clone: number;
  readonly unshare: number;
  /** Numbers from here on are those of another table, which nobody uses: x32. */
  readonly limit?: number;
}

const generic = { keys: [217, 218, 219], clone: 220, unshare: 97 } as const;

/** By `process.arch`: the machine's own table, and that of its 32-bit programs. */
const machines: ReadonlyMap<string, readonly CallTable[]> = new Map([
  [
    'x64',
    [
      { audit: 0xc000_003e, keys: [248, 249, 250], clone: 56, unshare: 272, limit: 0x4000_0000 },
      { audit: 0x4000_0003, keys: [286, 287, 288], clone: 120, unshare: 310 },
    ],
  ],
  [
    'arm64',
    [
      { audit: 0xc000_00b7, ...generic },
      { audit: 0x4000_0028, keys: [309, 310, 311], clone: 120, unshare: 337 },
    ],
  ],
  ['riscv64', [{ audit: 0xc000_00f3, ...generic }]],
]);

const clone3 = 435;
const newUserNamespace = 0x1000_0000;

/** Opcodes of the classic packet filter, `linux/filter.h`, and answers of `linux/seccomp.h`. */
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const answer = 0x06;
const allow = 0x7fff_0000;
const error = 0x0005_0000;
const notPermitted = error | 1;
const noSuchCall = error | 38;

/** Offsets in `struct seccomp_data`. The first argument's lower half comes first: all of these machines are little-endian. */
const callNumber = 0;
const callTable = 4;
const firstArgument = 16;

interface Instruction {
  readonly code: number;
  readonly operand: number;
  /** Instructions to pass over where the condition holds, and where it does not. */
  readonly onTrue?: number;
  readonly onFalse?: number;
}

function assemble(tables: readonly CallTable[]): Buffer {
  const program: Instruction[] = [{ code: load, operand: callTable }];
  for (const table of tables) {
    const block = blockOf(table);
    program.push({ code: jumpIfEqual, operand: table.audit, onFalse: block.length }, ...block);
  }
  program.push({ code: answer, operand: noSuchCall });
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, operand, onTrue = 0, onFalse = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(onTrue, index * 8 + 2);
    bytes.writeUInt8(onFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}

/** Ends in an answer whatever it is asked. */
function blockOf({ keys, clone, unshare, limit }: CallTable): Instruction[] {
  const missing = [...keys, clone3];
  const refuse = (test: number, operand: number): Instruction[] => [
    { code: test, operand, onFalse: 1 },
    { code: answer, operand: noSuchCall },
  ];
  return [
    { code: load, operand: callNumber },
    ...(limit === undefined ? [] : refuse(jumpIfAtLeast, limit)),
    ...missing.flatMap((number) => refuse(jumpIfEqual, number)),
    { code: jumpIfEqual, operand: clone, onTrue: 1 },
    { code: jumpIfEqual, operand: unshare, onFalse: 3 },
    { code: load, operand: firstArgument },
    { code: jumpIfAnyBit, operand: newUserNamespace, onFalse: 1 },
    { code: answer, operand: notPermitted },
    { code: answer, operand: allow },
  ];
}

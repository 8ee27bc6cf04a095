import { describe, expect, it } from 'vitest';
import {
  commandOfName,
  processesOfCommand,
  type SandboxProcess,
} from '../../../src/sandbox/command-processes.js';

const shell = 1;
const query = { executionId: '7', shell, sinceTicks: 100 };

function entry(
  pid: number,
  parent: number,
  executionId: string | null,
  startTicks = 150,
): SandboxProcess {
  return { pid, state: 'stopped', parent, executionId, startTicks, group: 1, name: 'x' };
}

describe('the processes of a command', () => {
  it('are those with its id, wherever they hang', () => {
    expect(processesOfCommand([entry(2, shell, '7'), entry(3, 99, '7')], query)).toEqual([2, 3]);
  });

  it('are the descendants of one of it, whatever they say of themselves', () => {
    const processes = [entry(4, 3, '1'), entry(3, 2, null, 10), entry(2, shell, '7')];
    expect(processesOfCommand(processes, query)).toEqual([4, 3, 2]);
  });

  it('are orphans without an id that began after it', () => {
    const processes = [entry(2, shell, null, 150), entry(3, 99, null, 150), entry(4, 99, null, 50)];
    expect(processesOfCommand(processes, query)).toEqual([2, 3]);
  });

  it('are not what an earlier command left, nor its children, nor the shell', () => {
    const processes = [
      entry(shell, 0, null, 150),
      entry(2, shell, '3'),
      entry(3, 2, null),
      entry(4, shell, null, 50),
      entry(5, 4, null),
    ];
    expect(processesOfCommand(processes, query)).toEqual([]);
  });

  it('end the search although two name each other as parent', () => {
    expect(processesOfCommand([entry(2, 3, null, 50), entry(3, 2, null, 50)], query)).toEqual([]);
  });

  it('may tell their command by their name', () => {
    expect([commandOfName('sh:12'), commandOfName('sh'), commandOfName('sh:12x')]).toEqual([
      12,
      null,
      null,
    ]);
  });
});

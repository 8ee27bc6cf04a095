import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StateDirectory } from '../../../src/sandbox/state-directory.js';

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'state-directory-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('the directory of a shell that takes the place of another', () => {
  it('holds what the sessions had stored, and nothing else', () => {
    const state = new StateDirectory(join(temporary(), 'state'));
    expect(state.renew(['agent.0'])).toEqual([]);
    writeFileSync(join(state.path, 'agent.0'), 'export A=1');
    writeFileSync(join(state.path, 'saved'), '3');
    chmodSync(state.path, 0);
    expect(state.renew(['agent.0'])).toEqual(['agent.0']);
    expect(readdirSync(state.path).sort()).toEqual(['agent.0', 'input']);
    expect(readFileSync(join(state.path, 'agent.0'), 'utf8')).toBe('export A=1');
  });

  it('never holds a file of the host that a link named, and does not wait for a pipe', () => {
    const folder = temporary();
    writeFileSync(join(folder, 'secret'), 'hunter2');
    const state = new StateDirectory(join(folder, 'state'));
    state.renew([]);
    symlinkSync(join(folder, 'secret'), join(state.path, 'agent.0'));
    execFileSync('mkfifo', [join(state.path, 'agent.1')]);
    expect(state.renew(['agent.0', 'agent.1'])).toEqual([]);
    expect(readdirSync(state.path)).toEqual(['input']);
  });
});

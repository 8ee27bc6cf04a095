import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { processStart } from '../../../src/process-start.js';
import {
  currentOwner,
  formatOwnerLabel,
  isOwnerDead,
  ownerLabel,
  parseOwnerLabel,
} from '../../../src/sandbox/sandbox-owner.js';

describe('an owner', () => {
  it('is read back from its label, whatever the run is called', () => {
    for (const run of ['run', 'a-1-b-2', 'ünï / ../..', '', 'x'.repeat(300)]) {
      const label = ownerLabel(currentOwner(run));
      expect(parseOwnerLabel(formatOwnerLabel(label))).toEqual(label);
      expect(formatOwnerLabel(label)).toMatch(/^[A-Za-z0-9_.-]{1,80}$/);
    }
    expect(parseOwnerLabel('something-else')).toBeNull();
  });

  it('that lives is not dead, even if it was labelled with another start', () => {
    expect(isOwnerDead(ownerLabel(currentOwner('run')))).toBe(false);
    const wrong = { ...currentOwner('run'), startedAt: '2026-01-01T00:00:00Z' };
    expect(isOwnerDead(ownerLabel(wrong))).toBe(false);
  });

  it('is dead once its process is gone, or its id belongs to another process', () => {
    const label = ownerLabel(currentOwner('run'));
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    expect(isOwnerDead({ ...label, pid: gone })).toBe(true);
    expect(isOwnerDead({ ...label, start: '00000000' })).toBe(true);
    expect(processStart(gone)).toBeNull();
  });

  it('of another host or process namespace is never called dead', () => {
    expect(
      isOwnerDead({ ...ownerLabel(currentOwner('run')), pid: 999_999, place: '00000000' }),
    ).toBe(false);
  });
});

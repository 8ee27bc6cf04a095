import { readdirSync, readFileSync } from 'node:fs';

const firstBehindStandard = 3;
/** In the flags of /proc/self/fdinfo, which are octal. */
const closeOnExec = 0o2_000_000;

/**
 * File descriptors that whoever started this process left open in it, and that each of its children would inherit. Node
 * opens its own so that they do not, and sees to the lowest 16, but not to those above. Empty where there is no /proc.
 */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor >= firstBehindStandard && isPassedOn(descriptor));
  } catch {
    return [];
  }
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(
      readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'),
    );
    return flags !== null && (Number.parseInt(flags[1] ?? '', 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}

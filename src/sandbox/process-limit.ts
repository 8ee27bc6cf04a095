/** Threads among them. Far more than a build or a test suite needs, and far less than a host has. */
const processes = 4_096;

/**
 * Processes that one sandbox may have on a Linux kernel of this release; null where that cannot be enforced. Since 5.14 a
 * user's processes are counted in each user namespace apart. Before, those of all other sandboxes would count, too.
 */
export function processLimit(kernel: string): number | null {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14) ? processes : null;
}

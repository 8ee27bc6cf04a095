import type { SandboxSession } from '../../sandbox/sandbox.js';

/** A path with a leading `~` or `~/` put in full, as the shell of the sandbox has it. Other paths cost no command. */
export async function expandHome(
  path: string,
  sandbox: SandboxSession,
  signal: AbortSignal,
): Promise<string> {
  if (path !== '~' && !path.startsWith('~/')) {
    return path;
  }
  const { stdout } = await sandbox.exec('printf %s "$HOME"', { signal, timeoutMs: 10_000 });
  return `${stdout.toString('utf8') || sandbox.home}${path.slice(1)}`;
}

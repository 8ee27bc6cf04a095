import { spawn } from 'node:child_process';
import { cliPath } from './cli-path.js';

/** Runs the command in a folder and kills it with SIGKILL once something holds. Resolves when it is gone. */
export async function killWhen(
  folder: string,
  args: readonly string[],
  holds: () => boolean,
): Promise<void> {
  const child = spawn(process.execPath, [cliPath, ...args], { cwd: folder, stdio: 'ignore' });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  while (!holds() && child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  child.kill('SIGKILL');
  await closed;
}

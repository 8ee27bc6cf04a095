import type { SandboxSession } from '../../sandbox/sandbox.js';
import type { ToolResult } from '../tool.js';
import { failure } from '../tool-answer.js';
import { similarFiles } from './similar-files.js';

/** The answer about a file that does not exist, with the names beside it that may have been meant. */
export async function missingFile(
  path: string,
  sandbox: SandboxSession,
  signal: AbortSignal,
): Promise<ToolResult> {
  const similar = await similarFiles(path, sandbox, signal);
  return similar.length === 0
    ? failure(`No such file: ${path}`)
    : failure(`No such file: ${path}. Similar: ${similar.join(', ')}`, { similar_files: similar });
}

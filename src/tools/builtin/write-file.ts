import { z } from 'zod';
import { expandHome } from '../files/expand-home.js';
import type { Tool } from '../tool.js';
import { answer, sandboxFailure } from '../tool-answer.js';

const parameters = z.strictObject({
  path: z.string().min(1).describe('Absolute, or relative to the working directory of the shell.'),
  content: z.string().describe('The whole new content of the file.'),
});

/** Writes a whole file, with its parent directories. */
export const writeFile: Tool<typeof parameters> = {
  name: 'write_file',
  toolset: 'file',
  description: [
    'Write a file; what it had before is replaced, and missing parent directories are made.',
    'Returns JSON: path, bytes_written. To change a part of a file use patch.',
  ].join('\n'),
  parameters,
  effect: 'write',
  needsSandbox: true,
  async execute({ path: given, content }, { sandbox, signal }) {
    const path = await expandHome(given, sandbox, signal);
    const data = Buffer.from(content.toWellFormed(), 'utf8');
    try {
      await sandbox.write(path, data);
    } catch (thrown) {
      return sandboxFailure(`Cannot write ${path}`, thrown);
    }
    return answer({ path, bytes_written: data.length });
  },
};

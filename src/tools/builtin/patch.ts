import { z } from 'zod';
import { capOutput } from '../../text/cap-output.js';
import { binaryMessage, decodeText } from '../files/decode-text.js';
import { expandHome } from '../files/expand-home.js';
import { missingFile } from '../files/missing-file.js';
import { replaceText } from '../files/replace-text.js';
import { unifiedDiff } from '../files/unified-diff.js';
import type { Tool } from '../tool.js';
import { answer, failure, sandboxFailure } from '../tool-answer.js';

const parameters = z.strictObject({
  mode: z.enum(['replace']).default('replace').describe('The only mode: replace a passage.'),
  path: z.string().min(1).describe('Absolute, or relative to the working directory of the shell.'),
  old_string: z
    .string()
    .describe('The passage to replace, with enough lines around it that it occurs once.'),
  new_string: z.string().describe('What takes its place. Empty: the passage is removed.'),
  replace_all: z.boolean().default(false).describe('Replace each occurrence.'),
});

/** Replaces a passage in a file. */
export const patch: Tool<typeof parameters> = {
  name: 'patch',
  toolset: 'file',
  description: [
    'Replace a passage of a text file. Small differences in white space at line ends and in indentation are tolerated; a passage that occurs more than once is an error unless replace_all is set.',
    'Returns JSON: success, diff, files_modified. Prefer this to sed and awk in the terminal.',
  ].join('\n'),
  parameters,
  effect: 'write',
  needsSandbox: true,
  async execute({ path: given, old_string, new_string, replace_all }, { sandbox, signal }) {
    const path = await expandHome(given, sandbox, signal);
    let bytes: Buffer | null;
    try {
      bytes = await sandbox.read(path, { maxBytes: largestFile + 1 });
    } catch (thrown) {
      return sandboxFailure(`Cannot read ${path}`, thrown);
    }
    if (bytes === null) {
      return missingFile(path, sandbox, signal);
    }
    if (bytes.length > largestFile) {
      return failure(`${path} is larger than ${largestFile} bytes. Edit it in the terminal.`);
    }
    const decoded = decodeText(bytes);
    if (decoded.binary) {
      return failure(binaryMessage(path));
    }
    if (!decoded.exact) {
      return failure(`${path} is not UTF-8: editing it here would damage it. Use the terminal.`);
    }
    const replaced = replaceText({
      text: decoded.text,
      oldText: old_string.toWellFormed(),
      newText: new_string.toWellFormed(),
      replaceAll: replace_all,
    });
    if (!replaced.ok) {
      return failure(replaced.problem);
    }
    try {
      await sandbox.write(path, replaced.text);
    } catch (thrown) {
      return sandboxFailure(`Cannot write ${path}`, thrown);
    }
    return answer({
      success: true,
      diff: capOutput(unifiedDiff(path, decoded.text, replaced.edits), longestDiff).text,
      files_modified: [path],
      ...(replaced.edits.length > 1 ? { replacements: replaced.edits.length } : {}),
      ...(replaced.kind === 'exact' ? {} : { note: `Found with ${replaced.kind}.` }),
    });
  },
};

const largestFile = 10_000_000;
const longestDiff = 20_000;

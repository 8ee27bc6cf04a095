import { z } from 'zod';
import { counted } from '../../text/counted.js';
import { binaryMessage } from '../files/decode-text.js';
import { expandHome } from '../files/expand-home.js';
import { missingFile } from '../files/missing-file.js';
import { numberLines } from '../files/number-lines.js';
import { type LinesOfFile, readLines } from '../files/read-lines.js';
import type { Tool } from '../tool.js';
import { answer, failure, sandboxFailure } from '../tool-answer.js';

const parameters = z.strictObject({
  path: z.string().min(1).describe('Absolute, or relative to the working directory of the shell.'),
  offset: z.int().min(1).max(1_000_000_000).default(1).describe('First line to show, from 1.'),
  limit: z.int().min(1).max(2_000).default(500).describe('How many lines to show at most.'),
});

/** Shows lines of a text file with their numbers. */
export const readFile: Tool<typeof parameters> = {
  name: 'read_file',
  toolset: 'file',
  description: [
    'Read a text file, page by page. Each line is shown as NUMBER|LINE; the number and the bar are not part of the file.',
    'Returns JSON: content, total_lines, file_size, truncated, and a hint with the offset of the next page.',
    'Lines of more than 2,000 characters are cut. Prefer this to cat, head, tail and sed in the terminal.',
  ].join('\n'),
  parameters,
  effect: 'read',
  needsSandbox: true,
  async execute({ path: given, offset, limit }, { sandbox, signal }) {
    const path = await expandHome(given, sandbox, signal);
    let found: LinesOfFile;
    try {
      found = await readLines(sandbox, path, { offset, limit, signal });
    } catch (thrown) {
      return sandboxFailure(`Cannot read ${path}`, thrown);
    }
    if (found.kind === 'missing') {
      return missingFile(path, sandbox, signal);
    }
    if (found.kind === 'binary') {
      return failure(binaryMessage(path));
    }
    const { lines, totalLines, sizeBytes, exact } = found;
    if (offset > 1 && offset > totalLines) {
      return failure(
        `${path} has ${counted(totalLines, 'line')}; offset ${offset} is behind its end.`,
        {
          total_lines: totalLines,
        },
      );
    }
    const shown = numberLines(lines, offset, maxChars);
    const last = offset + shown.count - 1;
    const truncated = last < totalLines;
    return answer({
      content: shown.text,
      total_lines: totalLines,
      file_size: sizeBytes,
      truncated,
      ...(truncated
        ? { hint: `Lines ${offset} to ${last} of ${totalLines}. Go on with offset=${last + 1}.` }
        : {}),
      ...(exact ? {} : { warning: 'Not UTF-8: some bytes are shown as \uFFFD.' }),
    });
  },
};

/** The tool's own cap; with line ends escaped in JSON it stays well below what one result may have. */
const maxChars = 50_000;

import { z } from 'zod';
import { firstCodePoints } from '../../text/code-points.js';
import { expandHome } from '../files/expand-home.js';
import { expandBraces, globMatcher } from '../search/glob.js';
import { parseCounts, parseMatches, parsePaths } from '../search/parse-matches.js';
import { runSearch } from '../search/run-search.js';
import { contentSearchCommand, fileSearchCommand } from '../search/search-command.js';
import { comparePaths, selectMatches } from '../search/select-matches.js';
import type { Tool, ToolContext, ToolResult } from '../tool.js';
import { answer, failure } from '../tool-answer.js';

const parameters = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('Content: a regular expression. Files: a glob such as *.py or src/**/*.ts.'),
  target: z
    .enum(['content', 'files'])
    .default('content')
    .describe('content: search in files. files: find files by name.'),
  path: z.string().min(1).default('.').describe('Directory or file to search in.'),
  file_glob: z.string().min(1).optional().describe('Content: only files that match this glob.'),
  limit: z.int().min(1).max(1_000).default(50).describe('Results to show at most.'),
  offset: z.int().min(0).max(1_000_000).default(0).describe('Results to pass over.'),
  output_mode: z
    .enum(['content', 'files_only', 'count'])
    .default('content')
    .describe('Content: matching lines, only the paths of files, or counts by file.'),
  context: z.int().min(0).max(50).default(0).describe('Content: lines to show around a match.'),
});

type Arguments = z.infer<typeof parameters>;

/** Searches in files, or for files. */
export const searchFiles: Tool<typeof parameters> = {
  name: 'search_files',
  toolset: 'file',
  description: [
    'Search in files with a regular expression, or find files with a glob. Prefer this to grep, rg, find and ls in the terminal.',
    'Hidden and ignored files are searched; .git, node_modules and caches are not, unless path leads into them. Results are sorted by path.',
    'Returns JSON: total_count, then matches (path, line, content), files or counts, and truncated.',
  ].join('\n'),
  parameters,
  effect: 'read',
  needsSandbox: true,
  async execute(args, context) {
    const path = await expandHome(args.path, context.sandbox, context.signal);
    return args.target === 'files'
      ? findFiles({ ...args, path }, context)
      : searchContent({ ...args, path }, context);
  },
};

const maxListBytes = 5_000_000;
const maxMatchBytes = 1_000_000;
const longestContent = 500;

async function findFiles(args: Arguments, context: ToolContext): Promise<ToolResult> {
  const output = await runSearch(fileSearchCommand(args.path, maxListBytes), {
    path: args.path,
    separator: '\0',
    maxBytes: maxListBytes,
    context,
  });
  if (!output.ok) {
    return failure(output.problem);
  }
  const files = parsePaths(output.text).filter(globMatcher(args.pattern));
  const plain = !/[*?[{]/.test(args.pattern);
  return answer({
    ...page(files, args, output.cut, 'files'),
    ...(files.length === 0 && plain
      ? { hint: `The pattern is a whole name. For a part of one: *${args.pattern}*` }
      : {}),
  });
}

async function searchContent(args: Arguments, context: ToolContext): Promise<ToolResult> {
  const { path, pattern, file_glob: glob, output_mode: mode } = args;
  const negated = glob?.startsWith('!') === true;
  const matcher = glob === undefined ? () => true : globMatcher(negated ? glob.slice(1) : glob);
  const accepts = (file: string) => matcher(file) !== negated;
  const command = contentSearchCommand({
    pattern,
    path,
    names: glob === undefined || negated ? [] : fileNames(glob),
    mode,
    context: args.context,
    maxBytes: maxMatchBytes,
  });
  const separator = mode === 'files_only' ? /[\0\n]/ : '\n';
  const output = await runSearch(command, { path, separator, maxBytes: maxMatchBytes, context });
  if (!output.ok) {
    return failure(output.problem);
  }
  if (mode === 'files_only') {
    const files = parsePaths(output.text).filter(accepts).sort(comparePaths);
    return answer(page(files, args, output.cut, 'files'));
  }
  if (mode === 'count') {
    const counts = [...parseCounts(output.text)]
      .filter(([file]) => accepts(file))
      .sort(([a], [b]) => comparePaths(a, b));
    const shown = counts.slice(args.offset, args.offset + args.limit);
    return answer({
      total_count: counts.reduce((sum, [, count]) => sum + count, 0),
      counts: Object.fromEntries(shown),
      truncated: output.cut || args.offset + shown.length < counts.length,
    });
  }
  const lines = parseMatches(output.text).filter((line) => accepts(line.path));
  const total = lines.filter((line) => !line.isContext).length;
  const shown = selectMatches(lines, args).map((line) => ({
    path: line.path,
    line: line.line,
    content: firstCodePoints(line.content, longestContent),
    ...(line.isContext ? { context: true } : {}),
  }));
  return answer({ total_count: total, matches: shown, ...rest(total, args, output.cut) });
}

/** Globs of the last name alone: they let through all that the whole glob does. */
function fileNames(glob: string): readonly string[] {
  const names = expandBraces(glob).map((one) => one.slice(one.lastIndexOf('/') + 1));
  return names.some((name) => name === '' || name === '**') ? [] : [...new Set(names)];
}

function page(all: readonly string[], args: Arguments, cut: boolean, key: 'files') {
  return {
    total_count: all.length,
    [key]: all.slice(args.offset, args.offset + args.limit),
    ...rest(all.length, args, cut),
  };
}

/** `truncated`, and how to go on. */
function rest(total: number, { offset, limit }: Arguments, cut: boolean) {
  const next = offset + limit;
  const more = next < total;
  const hints = [
    ...(more ? [`Go on with offset=${next}.`] : []),
    ...(cut ? ['There is more than could be searched: total_count is a minimum. Narrow it.'] : []),
  ];
  return {
    truncated: more || cut,
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
  };
}

import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Container } from 'dockerode';
import { TalariaError } from '../../errors.js';
import { shellQuote } from '../../text/shell-quote.js';
import { systemPath } from '../host-environment.js';
import { engineFailure } from './engine.js';
import { execStream } from './exec-stream.js';
import { splitStreams } from './multiplexed-stream.js';

/** What an agent must not be able to change for a verifier. */
const systemDirectories =
  /^\/(bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|sys|usr|var)(\/|$)/;

/** As `GET /containers/{id}/changes` says it: 0 changed, 1 added, 2 removed. */
interface Change {
  readonly Path: string;
  readonly Kind: 0 | 1 | 2;
}

export interface ChangedPaths {
  /** Directories and files at the top, or the task's own directory, that are copied as they are. */
  readonly copied: readonly string[];
  readonly removed: readonly string[];
}

/** What of a container's changes goes to a clean one: all but the system's directories, and the task's own in any case. Pure. */
export function changedPaths(changes: readonly Change[], directory: string): ChangedPaths {
  const copied = new Set<string>();
  const removed: string[] = [];
  for (const { Path: path, Kind: kind } of changes) {
    const isOwn = path === directory || path.startsWith(`${directory}/`);
    if (!isOwn && systemDirectories.test(path)) {
      continue;
    }
    if (kind === 2) {
      removed.push(path);
    } else {
      copied.add(isOwn ? directory : `/${path.split('/')[1] ?? ''}`);
    }
  }
  copied.delete('/');
  // A directory that contains another covers it.
  const covers = (outer: string, inner: string) => inner !== outer && inner.startsWith(`${outer}/`);
  return {
    copied: [...copied].filter((path) => ![...copied].some((outer) => covers(outer, path))).sort(),
    removed: removed.filter((path) => !removed.some((outer) => covers(outer, path))).sort(),
  };
}

/**
 * Copies what an agent changed from its container into a clean one of the same image. The engine reads it, and no program
 * that the agent could have replaced. Returns what the clean one has to remove. Rejects with `sandbox_unavailable`.
 */
export async function copyChanges(
  from: Container,
  to: Container,
  directory: string,
): Promise<readonly string[]> {
  try {
    const { copied, removed } = changedPaths(
      ((await from.changes()) as Change[] | null) ?? [],
      directory,
    );
    for (const path of copied) {
      const archive = (await from.getArchive({ path })) as Readable;
      const parent = path.slice(0, path.lastIndexOf('/')) || '/';
      await to.putArchive(archive, { path: parent });
    }
    return removed;
  } catch (thrown) {
    throw engineFailure('The agent’s changes cannot be copied', thrown);
  }
}

/**
 * Copies directories that only the container's own programs can read, since they are in memory: those programs are on a
 * system that the agent could not write to. Rejects with `sandbox_unavailable`.
 */
export async function copyDirectories(
  from: Container,
  to: Container,
  paths: readonly string[],
  user: string,
): Promise<void> {
  const words = paths.map((path) => shellQuote(path.slice(1))).join(' ');
  const variables = { PATH: systemPath };
  const source = await execStream({
    container: from,
    script: `cd / && tar -cf - ${words}`,
    variables,
    user,
  });
  const target = await execStream({
    container: to,
    script: 'cd / && tar -xpf - && echo done',
    variables,
    user,
  });
  source.end();
  const read = splitStreams(source);
  const write = splitStreams(target);
  write.stderr.resume();
  const problems = textOf(read.stderr);
  const answer = textOf(write.stdout);
  await pipeline(read.stdout, target).catch(() => {});
  if ((await answer) !== 'done\n') {
    throw new TalariaError({
      code: 'sandbox_unavailable',
      message: `The agent’s files cannot be copied: ${(await problems).trim().split('\n').at(-1) || 'tar failed'}.`,
    });
  }
}

const longestText = 4_000;

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text = (text + (chunk as Buffer).toString('utf8')).slice(-longestText);
  }
  return text;
}

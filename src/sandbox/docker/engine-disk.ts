import type { Container } from 'dockerode';
import { freeBytesAt } from '../disk-watch.js';
import { dockerEngine } from './engine.js';

let root: Promise<string> | null = null;

/** Bytes that are free where the engine keeps its containers; null for an engine of another machine. */
export async function engineFreeBytes(): Promise<number | null> {
  root ??= dockerEngine().then(async (engine) => {
    const { DockerRootDir: directory } = await engine.info();
    return directory as string;
  });
  return freeBytesAt(await root);
}

/** What was written in a container since it was made. Takes the longer the more files that are. */
export async function writtenBytes(container: Container): Promise<number> {
  // The client's types do not know the option.
  const inspect = container.inspect.bind(container) as (options: object) => Promise<object>;
  const { SizeRw: bytes = 0 } = (await inspect({ size: true })) as { SizeRw?: number };
  return bytes;
}

import type { Readable, Writable } from 'node:stream';
import type { SandboxProcess } from './command-processes.js';

/** A running {@link controlScript}. */
export interface ControlStreams {
  readonly input: Writable;
  readonly output: Readable;
  /** Closes both. */
  close(): void;
}

/** What the sandbox's processes were when the script looked. */
export interface ProcessList {
  /** Ticks between the boot and now. */
  readonly uptimeTicks: number;
  /** Process id of the script. */
  readonly self: number;
  readonly processes: readonly SandboxProcess[];
}

const ticksPerSecond = 100;

/** Asks a {@link controlScript} one thing after the other. Every method resolves with null once the script is gone. */
export class ControlShell {
  readonly #streams: ControlStreams;
  readonly #lines: string[] = [];
  #rest = '';
  #self = 0;
  #gone = false;
  #answer: ((lines: readonly string[] | null) => void) | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(streams: ControlStreams) {
    this.#streams = streams;
    streams.output.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')));
    streams.input.on('error', () => {});
    for (const event of ['end', 'close', 'error'] as const) {
      streams.output.on(event, () => this.#end());
    }
  }

  get gone(): boolean {
    return this.#gone;
  }

  close(): void {
    this.#end();
    this.#streams.close();
  }

  async list(): Promise<ProcessList | null> {
    const lines = await this.#ask('list');
    if (lines === null) {
      return null;
    }
    const uptime = Number(/^uptime (\S+)/.exec(lines[0] ?? '')?.[1] ?? 0);
    return {
      uptimeTicks: uptime * ticksPerSecond,
      self: this.#self,
      processes: lines.map(parseProcess).filter((entry) => entry !== null),
    };
  }

  async signal(name: 'STOP' | 'CONT' | 'KILL', pids: readonly number[]): Promise<boolean> {
    return pids.length === 0 || (await this.#ask(`signal ${name} ${pids.join(' ')}`)) !== null;
  }

  /** How often the kernel ended a process of the sandbox because memory ran out; null also where it does not tell. */
  async outOfMemoryCount(): Promise<number | null> {
    const lines = await this.#ask('oom');
    const counts = (lines ?? []).map((line) => /^oom (\d+)$/.exec(line)?.[1]);
    const count = counts.find((text) => text !== undefined);
    return count === undefined ? null : Number(count);
  }

  #ask(request: string): Promise<readonly string[] | null> {
    const asked = this.#last.then(
      () =>
        new Promise<readonly string[] | null>((resolve) => {
          if (this.#gone) {
            resolve(null);
            return;
          }
          this.#lines.length = 0;
          this.#answer = resolve;
          this.#streams.input.write(`${request}\n`);
        }),
    );
    this.#last = asked;
    return asked;
  }

  #take(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === 'end') {
        const answer = this.#answer;
        this.#answer = null;
        answer?.([...this.#lines]);
      } else if (line.startsWith('self ')) {
        this.#self = Number(line.slice('self '.length));
      } else {
        this.#lines.push(line);
      }
    }
  }

  #end(): void {
    this.#gone = true;
    this.#answer?.(null);
    this.#answer = null;
  }
}

/** `p PID STATE PARENT GROUP START ID` */
function parseProcess(line: string): SandboxProcess | null {
  const match = /^p (\d+) (\S) (\d+) (-?\d+) (\d+) (\S+)$/.exec(line);
  if (match === null) {
    return null;
  }
  const [, pid, letter = '', parent, group, start, id] = match;
  return {
    pid: Number(pid),
    state: 'ZX'.includes(letter) ? 'ended' : letter.toUpperCase() === 'T' ? 'stopped' : 'running',
    name: '',
    parent: Number(parent),
    group: Number(group),
    startTicks: Number(start),
    executionId: id === '-' ? null : (id ?? null),
  };
}

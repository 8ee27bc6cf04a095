import { randomBytes } from 'node:crypto';
import { systemClock } from '../clock.js';
import { TalariaError } from '../errors.js';
import type { ExposedHost, Sandbox, SandboxSession, VerifyMode } from './sandbox.js';
import type { ShellBackend } from './shell-backend.js';
import { ShellChannel } from './shell-channel.js';
import type { ShellStart } from './shell-prelude.js';
import { ShellSession } from './shell-session.js';
import type { ShellTransport } from './shell-transport.js';
import { execSlots } from './slots.js';

/** What makes one kind of sandbox differ from another. */
export interface ShellSandboxPlan {
  readonly kind: string;
  /** {@link Sandbox.exposes} */
  readonly exposes: ExposedHost | null;
  readonly limits: { readonly [name: string]: boolean };
  readonly home: string;
  /** {@link SandboxSession.scratch} */
  readonly scratch: string;
  /** Limit of a command that is given none. */
  readonly commandTimeoutMs: number;
  /** {@link SandboxSpec.maxParallelExec} */
  readonly maxParallelExec: number;
  readonly start: ShellStart;
  /** Whether the directory that it begins in has to be made first. */
  readonly makeStart: boolean;
  /** The dispatcher's directory for state, as the sandbox sees it. */
  readonly stateDirectory: string;
  readonly executionId: (number: number) => string;
  readonly backend: ShellBackend;
  /** Another sandbox over the same files, or a clean one without them. */
  readonly another: (files: 'same' | 'none') => Promise<Sandbox>;
  /** Opens the directories again that everybody in the sandbox needs, should the agent have closed them. */
  readonly openShared: () => void;
  /** Removes the files; called once, when no process is left. */
  readonly removeFiles: () => Promise<void>;
}

/** A sandbox whose commands run on one persistent shell. */
export class ShellSandbox implements Sandbox {
  readonly kind: string;
  readonly exposes: ExposedHost | null;
  readonly limits: { readonly [name: string]: boolean };
  readonly #plan: ShellSandboxPlan;
  readonly #channel: ShellChannel;
  readonly #session: ShellSession;
  readonly #sessions: ShellSession[] = [];
  readonly #inner: Sandbox[] = [];
  #closing: Promise<void> | null = null;

  constructor(plan: ShellSandboxPlan) {
    this.kind = plan.kind;
    this.exposes = plan.exposes;
    this.limits = plan.limits;
    this.#plan = plan;
    const { backend } = plan;
    this.#channel = new ShellChannel({
      stateDirectory: plan.stateDirectory,
      clock: systemClock,
      slots: execSlots(plan.maxParallelExec),
      host: {
        reopens: true,
        executionId: plan.executionId,
        open: () => this.#openShell(),
        kill: (executionId, elapsedMs) => backend.killCommand(executionId, elapsedMs),
        whyEnded: async () => (await backend.whyEnded?.()) ?? null,
        ranOutOfMemory: async () => (await backend.ranOutOfMemory?.()) ?? false,
      },
    });
    this.#session = this.#newSession('agent', 1);
  }

  get session(): SandboxSession {
    return this.#session;
  }

  /** Starts it and makes the directory that its session begins in. On failure it is closed. */
  async open(signal: AbortSignal): Promise<this> {
    const onAbort = () => this.#channel.close('it was cancelled before it had started');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) {
        onAbort();
      }
      await this.#channel.open();
      if (this.#plan.makeStart) {
        await this.#session.makeDirectory(this.#plan.start.directory);
      }
      return this;
    } catch (thrown) {
      await this.close();
      throw thrown;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async verifier(mode: VerifyMode): Promise<Sandbox> {
    if (this.#closing !== null) {
      throw new TalariaError({
        code: 'sandbox_unavailable',
        message: 'A sandbox that was closed cannot be scored in.',
      });
    }
    if (mode === 'fresh') {
      return this.#another('none');
    }
    this.#session.stop();
    if (mode === 'snapshot') {
      await this.#plan.backend.killAll(() => this.#channel.open());
      return this.#another('same');
    }
    return this.#sameView();
  }

  async #another(files: 'same' | 'none'): Promise<Sandbox> {
    const sandbox = await this.#plan.another(files);
    this.#inner.push(sandbox);
    return sandbox;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#channel.close('it was closed');
    await Promise.all(this.#inner.map((sandbox) => sandbox.close()));
    try {
      await this.#plan.backend.close();
    } finally {
      await this.#plan.removeFiles();
    }
  }

  /**
   * This sandbox with a fresh shell on the lane that no process of the agent writes to. A shell that the agent left unable
   * to work is replaced, which costs the agent what it left running.
   */
  async #sameView(): Promise<Sandbox> {
    this.#plan.openShared();
    // Not to be guessed: the agent could have put something in its place.
    const session = this.#newSession(`verifier-${randomBytes(8).toString('hex')}`, 0);
    if (!(await session.mend(this.#plan.stateDirectory))) {
      await this.#channel.open();
      await this.#plan.backend.endShell();
      session.forgetState();
      await this.#channel.open();
    }
    return {
      kind: this.kind,
      exposes: this.exposes,
      limits: this.limits,
      session,
      verifier: (mode) => this.verifier(mode),
      close: async () => session.stop(),
    };
  }

  #newSession(name: string, lane: number): ShellSession {
    const session = new ShellSession({
      name,
      home: this.#plan.home,
      scratch: this.#plan.scratch,
      commandTimeoutMs: this.#plan.commandTimeoutMs,
      start: this.#plan.start,
      commands: { channel: this.#channel, lane },
      files: { channel: this.#channel, lane: 0 },
    });
    this.#sessions.push(session);
    return session;
  }

  /** A shell in place of one that is gone goes on with what the sessions had stored. */
  async #openShell(): Promise<ShellTransport> {
    const stored = this.#sessions.map(({ stateFile }) => stateFile);
    const { transport, kept } = await this.#plan.backend.open(
      stored.filter((file) => file !== null),
    );
    for (const session of this.#sessions) {
      if (session.stateFile !== null && !kept.includes(session.stateFile)) {
        session.forgetState();
      }
    }
    return transport;
  }
}

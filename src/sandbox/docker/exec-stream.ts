import type { Duplex } from 'node:stream';
import type { Container } from 'dockerode';

export interface ExecStreamOptions {
  readonly container: Container;
  /** A POSIX shell program. */
  readonly script: string;
  readonly variables: { readonly [name: string]: string };
  /** In Docker's form: `user:group`. */
  readonly user: string;
}

/** Starts a program in a container; what it writes comes back as {@link splitStreams} takes it. */
export async function execStream(options: ExecStreamOptions): Promise<Duplex> {
  const { container, script, variables, user } = options;
  const exec = await container.exec({
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    User: user,
    // In a variable, so that `ps` shows a short line.
    Cmd: ['/bin/sh', '-c', 'eval "$TALARIA_SCRIPT"'],
    Env: Object.entries({ ...variables, TALARIA_SCRIPT: script }).map(
      ([name, value]) => `${name}=${value}`,
    ),
  });
  const stream = await exec.start({ hijack: true, stdin: true });
  stream.on('error', () => {});
  return stream;
}

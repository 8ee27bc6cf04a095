import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TalariaError } from '../../errors.js';
import { sha256 } from '../../hash.js';
import { isJsonObject, parseJson } from '../../json.js';
import type { engineEnvironment } from '../host-environment.js';

/** Where a Docker engine listens, as `dockerode` takes it. */
export type EngineAddress =
  | { readonly socketPath: string }
  | {
      readonly protocol: 'http' | 'https';
      readonly host: string;
      readonly port: number;
      /** PEM texts. */
      readonly ca?: Buffer;
      readonly cert?: Buffer;
      readonly key?: Buffer;
    };

const defaultSocket = '/var/run/docker.sock';

/**
 * The engine that Docker's own client would use: `DOCKER_HOST`, else the context of `DOCKER_CONTEXT` or of the
 * configuration file, else the system's socket. Throws `sandbox_unavailable` for an address that cannot be used.
 */
export function engineAddress(variables: ReturnType<typeof engineEnvironment>): EngineAddress {
  const certificates = variables.DOCKER_CERT_PATH ?? null;
  if (variables.DOCKER_HOST !== undefined) {
    const tls = variables.DOCKER_TLS_VERIFY !== undefined || certificates !== null;
    return parseAddress(
      variables.DOCKER_HOST,
      'DOCKER_HOST',
      tls ? (certificates ?? join(configDirectory(variables), '')) : null,
    );
  }
  const name = variables.DOCKER_CONTEXT ?? currentContext(configDirectory(variables));
  return name === null || name === 'default'
    ? { socketPath: defaultSocket }
    : contextAddress(configDirectory(variables), name);
}

function configDirectory({ DOCKER_CONFIG, HOME }: ReturnType<typeof engineEnvironment>): string {
  return DOCKER_CONFIG ?? join(HOME ?? '/root', '.docker');
}

function currentContext(directory: string): string | null {
  const config = readObject(join(directory, 'config.json'));
  const name = config?.['currentContext'];
  return typeof name === 'string' && name !== '' ? name : null;
}

/** Docker keeps a context under the SHA-256 of its name. */
function contextAddress(directory: string, name: string): EngineAddress {
  const id = sha256(name);
  const path = join(directory, 'contexts', 'meta', id, 'meta.json');
  const endpoints = readObject(path)?.['Endpoints'];
  const endpoint = isJsonObject(endpoints) ? endpoints['docker'] : null;
  const host = isJsonObject(endpoint) ? endpoint['Host'] : null;
  if (typeof host !== 'string') {
    throw unusable(
      `The Docker context ${JSON.stringify(name)} has no engine in ${path}. Choose one of \`docker context ls\`, or set DOCKER_HOST`,
    );
  }
  const tls = join(directory, 'contexts', 'tls', id, 'docker');
  return parseAddress(host, `the Docker context ${name}`, existsSync(tls) ? tls : null);
}

function parseAddress(text: string, from: string, certificates: string | null): EngineAddress {
  const socket = /^unix:\/\/(\/.+)$/.exec(text)?.[1] ?? (text.startsWith('/') ? text : undefined);
  if (socket !== undefined) {
    return { socketPath: socket };
  }
  const match = /^(tcp|http|https):\/\/(\[[0-9a-fA-F:.]+\]|[^/:]+)(?::(\d+))?\/?$/.exec(text);
  if (match === null) {
    throw unusable(
      `${from} is ${JSON.stringify(text)}, which is no address of an engine that can be used here. Write unix:///path/of/docker.sock or tcp://host:2376 (for an engine behind ssh, forward its socket: ssh -L /tmp/docker.sock:/var/run/docker.sock host)`,
    );
  }
  const secure = match[1] === 'https' || certificates !== null;
  return {
    protocol: secure ? 'https' : 'http',
    host: (match[2] ?? '').replace(/^\[|\]$/g, ''),
    port: match[3] === undefined ? (secure ? 2376 : 2375) : Number(match[3]),
    ...(certificates === null ? {} : readCertificates(certificates, from)),
  };
}

function readCertificates(directory: string, from: string) {
  const file = (name: string) => join(directory, name);
  const missing = ['ca.pem', 'cert.pem', 'key.pem'].filter((name) => !existsSync(file(name)));
  if (missing.length > 0) {
    throw unusable(`${from} asks for TLS, but ${directory} has no ${missing.join(', no ')}`);
  }
  return {
    ca: readFileSync(file('ca.pem')),
    cert: readFileSync(file('cert.pem')),
    key: readFileSync(file('key.pem')),
  };
}

function readObject(path: string) {
  if (!existsSync(path)) {
    return null;
  }
  const parsed = parseJson(readFileSync(path, 'utf8'));
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

function unusable(reason: string): TalariaError {
  return new TalariaError({ code: 'sandbox_unavailable', message: `${reason}.` });
}

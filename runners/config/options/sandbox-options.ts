import type { SandboxConfig } from '../../../src/sandbox/sandbox.js';
import type { OptionsOf } from '../option.js';
import {
  nullable,
  number,
  oneOf,
  seconds,
  text,
  textByName,
  wholeNumber,
  yesNo,
} from '../value-type.js';

/** `sandbox:` of the configuration file. */
export const sandboxOptions = {
  kind: {
    key: 'sandbox.kind',
    help: 'Where commands run',
    type: oneOf(['auto', 'docker', 'bubblewrap', 'ssh', 'local']),
    fallback: 'auto',
    identity: false,
    flag: 'sandbox',
  },
  image: {
    key: 'sandbox.image',
    help: 'Container image of tasks that name none',
    type: nullable(text),
    fallback: null,
    identity: true,
    flag: 'image',
  },
  network: {
    key: 'sandbox.network',
    help: 'Network of the sandbox',
    type: oneOf(['none', 'host']),
    fallback: 'none',
    identity: true,
    flag: 'network',
  },
  memoryMb: {
    key: 'sandbox.memory_mb',
    help: 'Memory of one sandbox',
    type: nullable(wholeNumber(16)),
    fallback: null,
    identity: false,
    flag: 'memory-mb',
  },
  cpus: {
    key: 'sandbox.cpus',
    help: 'Processors of one sandbox',
    type: nullable(number(0.01)),
    fallback: null,
    identity: false,
    flag: 'cpus',
  },
  env: {
    key: 'sandbox.env',
    help: 'Environment variables inside the sandbox',
    type: textByName,
    fallback: {},
    identity: false,
    flag: null,
    secret: true,
  },
  trust: {
    key: 'sandbox.trust',
    help: 'Allow the local sandbox, which isolates nothing',
    type: yesNo,
    fallback: false,
    identity: false,
    flag: 'trust',
  },
  commandTimeoutMs: {
    key: 'sandbox.command_timeout_s',
    help: 'Limit of one command that sets none',
    type: seconds,
    fallback: 180,
    identity: false,
    flag: 'command-timeout-s',
    seconds: true,
  },
} satisfies OptionsOf<SandboxConfig>;

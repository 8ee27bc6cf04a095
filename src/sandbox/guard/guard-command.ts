import { messageOf } from '../../errors.js';
import type { ExposedHost } from '../sandbox.js';
import { effectiveCommands } from './effective-commands.js';
import { isBlockDevice, isProtectedFile, isSystemRoot } from './guarded-path.js';
import type { SimpleCommand } from './parse-command.js';

/** Says why a command must not run, or null. */
type Rule = (command: SimpleCommand, host: ExposedHost) => string | null;

/**
 * Why a command must not run where nothing isolates it, or null when it may. It guards against accidents and against the
 * plain forms of what would ruin a machine; a program that somebody wrote to do harm passes it. Pure.
 */
export function guardCommand(text: string, host: ExposedHost): string | null {
  // A function that calls itself twice and goes to the background.
  if (/([\w:.]+)\s*\(\)\s*\{[^}]*\1\s*\|\s*\1\s*&[^}]*\}/.test(text.normalize('NFKC'))) {
    return 'it is a fork bomb';
  }
  let commands: readonly SimpleCommand[];
  try {
    commands = effectiveCommands(text);
  } catch (thrown) {
    return `it cannot be read: ${messageOf(thrown)}`;
  }
  for (const command of commands) {
    for (const rule of rules) {
      const reason = rule(command, host);
      if (reason !== null) {
        return reason;
      }
    }
  }
  return runsDownload(commands);
}

const rules: readonly Rule[] = [
  removesSystem,
  writesDevice,
  endsEverything,
  stopsMachine,
  writesProtected,
  opensPermissions,
  asksCloudMetadata,
];

function removesSystem({ words }: SimpleCommand, host: ExposedHost): string | null {
  const [program = '', ...args] = words;
  const targets = args.filter((arg) => !arg.startsWith('-'));
  const isRecursive = args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg) || arg === '--recursive');
  if (program === 'rm' && isRecursive) {
    const target = targets.find((path) => isSystemRoot(path, host));
    return target === undefined ? null : `it removes ${target} with all that is in it`;
  }
  if (program === 'find' && (args.includes('-delete') || args.includes('rm'))) {
    const target = targets.find((path) => isSystemRoot(path, host));
    return target === undefined ? null : `it removes files below ${target}`;
  }
  return null;
}

const diskPrograms =
  /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|sgdisk|sfdisk|fdisk|parted|blkdiscard|shred|badblocks)$/;

function writesDevice({ words, outputs }: SimpleCommand): string | null {
  const [program = '', ...args] = words;
  const written = [
    ...outputs,
    ...(diskPrograms.test(program) ? args : []),
    ...(program === 'dd'
      ? args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3))
      : []),
    ...(program === 'tee' || program === 'cp' || program === 'mv' ? args : []),
  ];
  const device = written.find(isBlockDevice);
  return device === undefined ? null : `it writes to the disk ${device}`;
}

function endsEverything({ words }: SimpleCommand): string | null {
  const [program = '', ...args] = words;
  if (program === 'killall5') {
    return 'it ends every process';
  }
  // The first -1 may be the number of a signal; the one behind it is a target.
  const last = args.at(-1);
  if (program === 'kill' && last === '-1') {
    return 'it ends every process of the user';
  }
  return (program === 'pkill' || program === 'killall') &&
    args.some((arg) => /^(-f)?(node|talaria|sshd|systemd|init|\.|\.\*|\*)$/.test(arg))
    ? `it ends processes that it did not start (${args.join(' ')})`
    : null;
}

const machineWords =
  /^(poweroff|reboot|halt|shutdown|kexec|suspend|hibernate|hybrid-sleep|emergency|rescue|soft-reboot)$/;

function stopsMachine({ words }: SimpleCommand): string | null {
  const [program = '', ...args] = words;
  const stops =
    machineWords.test(program) ||
    ((program === 'init' || program === 'telinit') && /^[06]$/.test(args[0] ?? '')) ||
    (program === 'systemctl' && args.some((arg) => machineWords.test(arg)));
  if (stops) {
    return 'it stops the machine';
  }
  const service =
    (program === 'systemctl' && args.some((arg) => /^(stop|disable|mask|kill)$/.test(arg))) ||
    (program === 'service' && args.includes('stop'));
  return service ? 'it stops a service of the machine' : null;
}

const writers = /^(tee|cp|mv|ln|install|rsync|dd|truncate|rm|chmod|chown)$/;

function writesProtected({ words, outputs }: SimpleCommand, host: ExposedHost): string | null {
  const [program = '', ...args] = words;
  const plain = args.filter((arg) => !arg.startsWith('-'));
  // What is copied or linked is only read, unless it is all that is named.
  const targets =
    /^(cp|ln|install|rsync)$/.test(program) && plain.length > 1 ? plain.slice(-1) : plain;
  const inPlace = /^(sed|perl)$/.test(program) && args.some((arg) => /^-[a-zA-Z]*i/.test(arg));
  const written = [
    ...outputs,
    ...(writers.test(program) ? targets.map((arg) => arg.replace(/^of=/, '')) : []),
    ...(inPlace ? plain : []),
  ];
  const found = written.find((path) => isProtectedFile(path, host));
  return found === undefined ? null : `it writes to ${found}`;
}

function opensPermissions({ words }: SimpleCommand, host: ExposedHost): string | null {
  const [program = '', ...args] = words;
  if (program !== 'chmod' && program !== 'chown') {
    return null;
  }
  const target = args
    .filter((arg) => !arg.startsWith('-'))
    .find((path) => isSystemRoot(path, host));
  return target === undefined ? null : `it changes who may use ${target}`;
}

const interpreters = /^((ba|da|z|k|a|fi)?sh|python[\d.]*|perl|ruby|node|php)$/;

/** A pipe from a download into an interpreter, also through others such as `tee`. */
function runsDownload(commands: readonly SimpleCommand[]): string | null {
  let downloading = false;
  for (const { words, piped } of commands) {
    const [program = ''] = words;
    if (piped && downloading && interpreters.test(program)) {
      return 'it runs what it downloads without a look at it';
    }
    downloading = /^(curl|wget|fetch)$/.test(program) || (piped && downloading);
  }
  return null;
}

function asksCloudMetadata({ words }: SimpleCommand): string | null {
  return words.some((word) =>
    /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254/i.test(word),
  )
    ? 'it asks the cloud for the machine’s own credentials'
    : null;
}

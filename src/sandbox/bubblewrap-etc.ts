import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** The user inside, whoever runs it: ids and names of the host would end up in trajectories. */
export const sandboxAccount = { id: 1000, name: 'agent', home: '/home/agent' } as const;

/** Files of /etc that programs need and that hold no secret. Copied: a mount of each costs 0.5 ms. */
const files = [
  'debian_version',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'protocols',
  'services',
  'ssl/cert.pem',
  'ssl/openssl.cnf',
  'timezone',
] as const;

/** Directories of /etc that are mounted where they exist. */
const directories = [
  'alternatives',
  'ca-certificates/extracted',
  'crypto-policies',
  'fonts',
  'pki/ca-trust/extracted',
  'pki/tls/certs',
  'ssl/certs',
] as const;

const accounts = [
  { id: 0, name: 'root', home: '/root' },
  sandboxAccount,
  { id: 65534, name: 'nobody', home: '/nonexistent' },
] as const;

/** Directories of the host's /etc that a sandbox sees, relative to it. */
export function sharedEtcDirectories(): string[] {
  // Debian keeps what a Java virtual machine cannot start without there.
  const java = readdirSync('/etc').filter((name) => /^java-\d+-openjdk$/.test(name));
  return [...directories.filter((name) => existsSync(join('/etc', name))), ...java];
}

/** Fills a directory that is to be a sandbox's /etc. What the host does not have is left out. */
export function writeEtc(target: string, network: 'none' | 'host'): void {
  for (const name of [...sharedEtcDirectories(), 'ssl']) {
    mkdirSync(join(target, name), { recursive: true });
  }
  for (const name of [...files, ...(network === 'host' ? ['resolv.conf'] : [])]) {
    if (existsSync(join('/etc', name)) && existsSync(join(target, dirname(name)))) {
      copyFileSync(join('/etc', name), join(target, name));
    }
  }
  symlinkSync('/proc/mounts', join(target, 'mtab'));
  symlinkSync('../usr/lib/os-release', join(target, 'os-release'));
  writeFileSync(
    join(target, 'passwd'),
    accounts.map(({ id, name, home }) => `${name}:x:${id}:${id}::${home}:/bin/sh\n`).join(''),
  );
  writeFileSync(
    join(target, 'group'),
    accounts.map(({ id, name }) => `${name}:x:${id}:\n`).join(''),
  );
}

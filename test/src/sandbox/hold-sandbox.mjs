// Makes a sandbox of the kind in argv[2], runs the commands that follow, prints what they say, and waits to be killed.

import { loadSandboxProvider } from '../../../dist/src/sandbox/resolve-sandbox.js';
import { currentOwner } from '../../../dist/src/sandbox/sandbox-owner.js';

const [, , kind, ...commands] = process.argv;
const provider = await loadSandboxProvider(kind);
const sandbox = await provider.create(
  {
    image: null,
    cwd: null,
    network: 'none',
    memoryMb: null,
    cpus: null,
    env: {},
    owner: currentOwner('held'),
  },
  new AbortController().signal,
);
for (const command of commands) {
  sandbox.session.exec(command).then(
    ({ stdout }) => process.stdout.write(stdout),
    () => {},
  );
}
await sandbox.session.write('ready', '');
process.stdout.write('ready\n');
sandbox.session.exec('sleep 1000').catch(() => {});
setInterval(() => {}, 1000);

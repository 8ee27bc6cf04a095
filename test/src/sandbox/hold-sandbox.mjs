// Makes a sandbox of the kind in argv[2] with the JSON fields of argv[3], runs the commands that follow, prints what they say,
// and waits to be killed.

import { loadSandboxProvider } from '../../../dist/src/sandbox/resolve-sandbox.js';
import { currentOwner } from '../../../dist/src/sandbox/sandbox-owner.js';

const [, , kind, spec, ...commands] = process.argv;
const provider = await loadSandboxProvider(kind);
const sandbox = await provider.create(
  { ...JSON.parse(spec), owner: currentOwner('held') },
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

// What a command and a sandbox cost. Prints JSON lines; needs `npm run build` first.
//   node test/bench/sandbox.mjs [rounds image]
import { spawnSync } from 'node:child_process';
import { loadSandboxProvider } from '../../dist/src/sandbox/resolve-sandbox.js';
import { currentOwner } from '../../dist/src/sandbox/sandbox-owner.js';

const rounds = Number(process.argv[2] ?? 200);
const image = process.argv[3] ?? 'talaria-test/debian';
const never = new AbortController().signal;
const spec = {
  image: null,
  cwd: null,
  network: 'none',
  memoryMb: null,
  cpus: null,
  profile: 'root',
  runtime: null,
  commandTimeoutMs: 60_000,
  diskMb: 10_240,
  maxParallelExec: 1_000,
  env: {},
  owner: currentOwner('bench'),
};

function print(name, fields) {
  process.stdout.write(`${JSON.stringify({ name, ...fields })}\n`);
}

async function measure(count, work) {
  const times = [];
  for (let round = 0; round < count; round += 1) {
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  times.sort((left, right) => left - right);
  const at = (share) => Number((times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(3));
  return { min_ms: at(0), p50_ms: at(0.5), p95_ms: at(0.95) };
}

const starts = Math.max(5, Math.floor(rounds / 10));
const bare = await measure(starts, () => {
  spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']);
});
print('bwrap true', bare);

/** What one exec of the engine's own takes: made, started, read to its end. */
async function engineExec() {
  const { dockerEngine } = await import('../../dist/src/sandbox/docker/engine.js');
  const engine = await dockerEngine();
  const container = await engine.createContainer({ Image: image, Cmd: ['sleep', '1000'] });
  await container.start();
  const times = await measure(Math.floor(rounds / 4), async () => {
    const exec = await container.exec({ Cmd: ['true'], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    stream.resume();
    await new Promise((resolve) => stream.once('end', resolve));
    await exec.inspect();
  });
  await container.remove({ force: true });
  return times;
}

for (const kind of ['bubblewrap', 'local', 'docker']) {
  const provider = await loadSandboxProvider(kind);
  const probe = await provider.probe();
  if (!probe.ok) {
    print('skipped', { kind, reason: probe.reason });
    continue;
  }
  const own = kind === 'docker' ? { ...spec, image } : spec;
  const made = [];
  const start = await measure(starts, async () => {
    made.push(await provider.create(own, never));
  });
  print('sandbox start', {
    kind,
    ...start,
    ratio_to_bwrap_true: Number((start.p50_ms / bare.p50_ms).toFixed(2)),
  });
  const [sandbox] = made;
  const { session } = sandbox;
  const command = await measure(rounds, () => session.exec('true'));
  print('exec true', { kind, ...command });
  if (kind === 'docker') {
    const engine = await engineExec();
    print('engine exec true', {
      ...engine,
      session_to_engine: Number((command.p50_ms / engine.p50_ms).toFixed(3)),
      must: 0.05,
      aim: 0.01,
    });
  }
  print('exec /bin/true', { kind, ...(await measure(rounds, () => session.exec('/bin/true'))) });
  print('exec 4 KB here-document', {
    kind,
    ...(await measure(rounds, () => session.exec(`cat >file <<'END'\n${'x'.repeat(4000)}\nEND\n`))),
  });
  const data = Buffer.alloc(10_000_000, 'y');
  print('write 10 MB', { kind, ...(await measure(5, () => session.write('big', data))) });
  print('read 10 MB', { kind, ...(await measure(5, () => session.read('big'))) });
  print('output 100 MB, capped', {
    kind,
    ...(await measure(3, () => session.exec('head -c 100000000 /dev/zero'))),
  });
  print('kill 50 processes on a timeout of 200 ms', {
    kind,
    ...(await measure(3, () =>
      session.exec('n=0; while [ $n -lt 50 ]; do setsid sleep 99 & n=$((n+1)); done; wait', {
        timeoutMs: 200,
      }),
    )),
  });
  print('sandbox close', { kind, ...(await measure(made.length, (round) => made[round].close())) });
}

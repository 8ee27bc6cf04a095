// What the run store can do, one JSON line a number. Build first; then
//   node test/bench/store.mjs [commits] [finished rollouts]
// The second part makes a run of that many finished rollouts and opens it in a process of its own.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { connectStore } from '../../dist/runners/store/connect-store.js';
import { openRunReader } from '../../dist/runners/store/open-run-reader.js';
import { openRunStore } from '../../dist/runners/store/open-run-store.js';
import { sha256 } from '../../dist/src/hash.js';

const waiters = 64;
const recordBytes = 6000;

const print = (name, value, unit, more = {}) =>
  process.stdout.write(`${JSON.stringify({ bench: 'store', name, value, unit, ...more })}\n`);
const rate = (count, begun) => Math.round((count / (performance.now() - begun)) * 1000);

const open = (directory, resume) =>
  openRunStore({
    directory,
    name: 'bench',
    resume,
    identity: { 'run.seed': '0' },
    configYaml: 'name: bench\n',
    now: Date.now,
  });

const task = (index) => ({
  key: sha256(`task ${index}`),
  task: { id: `task-${index}`, prompt: `Prompt number ${index}. `.padEnd(300, 'x') },
});

const outcome = ({ rolloutId, lease, attempt }) => ({
  rolloutId,
  lease,
  attempt,
  status: 'completed',
  exitReason: 'finished',
  errorClass: null,
  errorMessage: null,
  retryable: false,
  discardReason: null,
  reward: 1,
  rewards: [{ name: 'tests', state: 'scored', value: 1 }],
  turns: 8,
  turnsWithReasoning: 8,
  modelCalls: 8,
  replayedCalls: 0,
  wastedCalls: 0,
  retries: 0,
  promptTokens: 9000,
  completionTokens: 900,
  cachedTokens: 0,
  reasoningTokens: 300,
  costUsd: 0.01,
  seconds: 12,
  toolStats: {
    terminal: { count: 6, success: 5, failure: 1 },
    read_file: { count: 2, success: 2, failure: 0 },
  },
  record: new Uint8Array(randomBytes(recordBytes)),
});

/** Plans, journals and commits with 64 waiters, as 64 concurrent rollouts would. */
async function writes(commits) {
  const directory = mkdtempSync(join(tmpdir(), 'talaria-bench-'));
  const store = await open(directory, false);
  await store.beginPlan();
  let begun = performance.now();
  for (let index = 0; index < commits; index += 1000) {
    await store.plan(
      Array.from({ length: 1000 }, (_, offset) => task(index + offset)),
      1,
    );
  }
  await store.endPlan('bench', 1);
  print('plan', rate(commits, begun), 'tasks/s');

  const lanes = [connectStore(store.connect()), connectStore(store.connect())];
  const each = async (rollouts, action) => {
    let next = 0;
    const waits = [];
    const start = performance.now();
    await Promise.all(
      Array.from({ length: waiters }, async (_, waiter) => {
        for (let rollout = rollouts[next++]; rollout !== undefined; rollout = rollouts[next++]) {
          const asked = performance.now();
          await action(lanes[waiter % 2], rollout);
          waits.push(performance.now() - asked);
        }
      }),
    );
    waits.sort((a, b) => a - b);
    const at = (share) => Math.round((waits[Math.floor(waits.length * share)] ?? 0) * 100) / 100;
    return [rate(rollouts.length, start), { p50_ms: at(0.5), p99_ms: at(0.99), waiters }];
  };
  const rollouts = await store.next(commits);
  const reply = JSON.stringify({ text: 'x'.repeat(2000) });
  const entry = { sequence: 0, requestHash: 'h'.repeat(64), reply };
  const appended = await each(rollouts, (lane, { rolloutId, lease }) =>
    lane.append(rolloutId, lease, entry),
  );
  print('journal', appended[0], 'appends/s', { reply_bytes: reply.length, ...appended[1] });
  const committed = await each(rollouts, (lane, rollout) => lane.commit(outcome(rollout)));
  print('commit', committed[0], 'commits/s', { record_bytes: recordBytes, ...committed[1] });
  for (const lane of lanes) {
    lane.close();
  }
  begun = performance.now();
  await store.close();
  print('close', Math.round(performance.now() - begun), 'ms');
  rmSync(directory, { recursive: true });
}

/** Fills a run with finished rollouts, by copying one outcome in SQL. */
async function fill(directory, count) {
  const store = await open(directory, false);
  const lane = connectStore(store.connect());
  await store.beginPlan();
  await store.plan([task(0)], 1);
  await store.endPlan('bench', 1);
  const [first] = await store.next(1);
  await lane.commit(outcome(first));
  lane.close();
  await store.close();

  const database = new Database(join(directory, 'run.db'));
  database.pragma('synchronous = OFF');
  const columns = (table, skip) =>
    database
      .pragma(`table_info(${table})`)
      .map(({ name }) => name)
      .filter((name) => !skip.includes(name))
      .join(', ');
  database.function('task_key', (index) => sha256(`task ${index}`));
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  const copy = (table, id, skip = []) => {
    const rest = columns(table, [id, ...skip]);
    database.exec(
      `${numbers} INSERT INTO ${table} (${id}, ${rest}) SELECT (i + 1) << 20, ${rest} FROM n, ${table} WHERE ${id} = 1 << 20`,
    );
  };
  database.transaction(() => {
    database.exec(
      `${numbers} INSERT INTO task SELECT i + 1, task_key(i), 'task-' || i, 1, i, 0 FROM n;
       ${numbers} INSERT INTO task_body SELECT i + 1, body FROM n, task_body WHERE task_id = 1;`,
    );
    copy('outcome', 'id');
    copy('reward', 'rollout_id');
    copy('tool_stat', 'rollout_id');
    // A small record: what matters is that opening never reads any.
    database.exec(
      `${numbers} INSERT INTO record SELECT (i + 1) << 20, zeroblob(200) FROM n;
       UPDATE plan SET tasks = ${count};
       UPDATE tally SET outcomes = ${count}, final = ${count}, priced = ${count};`,
    );
  })();
  database.close();
  // Else the first fsync of the next part would pay for all of this.
  const file = openSync(join(directory, 'run.db'), 'r+');
  fsyncSync(file);
  closeSync(file);
}

async function openFilled(directory) {
  const before = process.memoryUsage.rss();
  const begun = performance.now();
  const store = await open(directory, true);
  const planned = await store.planned();
  const left = await store.next(64);
  const ms = performance.now() - begun;
  const counts = await store.counts();
  if (planned?.fingerprint !== 'bench' || left.length !== 0 || counts.pending !== 0) {
    throw new Error('The filled run is not what it should be.');
  }
  const after = process.memoryUsage.rss();
  print('open-finished', Math.round(ms), 'ms', {
    rollouts: counts.rollouts,
    rss_mb: Math.round(after / 2 ** 20),
    grown_mb: Math.round((after - before) / 2 ** 20),
  });
  await store.close();
}

async function replan(directory, count) {
  const store = await open(directory, true);
  await store.beginPlan();
  const begun = performance.now();
  for (let index = 0; index < count; index += 1000) {
    await store.plan(
      Array.from({ length: 1000 }, (_, offset) => task(index + offset)),
      1,
    );
  }
  await store.endPlan('bench', 1);
  const { pending } = await store.counts();
  print('replan-finished', rate(count, begun), 'tasks/s', {
    pending,
    rss_mb: Math.round(process.memoryUsage.rss() / 2 ** 20),
  });
  await store.close();
}

function stats(directory) {
  const reader = openRunReader(directory);
  let begun = performance.now();
  const { counts, tasks } = reader.stats();
  print('stats', Math.round(performance.now() - begun), 'ms', { rollouts: counts.rollouts });
  begun = performance.now();
  let lines = 0;
  for (const _ of tasks()) {
    lines += 1;
  }
  print('task-stats', rate(lines, begun), 'tasks/s', {
    rss_mb: Math.round(process.memoryUsage.rss() / 2 ** 20),
  });
  reader.close();
}

const [first = '20000', second = '1000000'] = process.argv.slice(2);
const parts = { openFilled, replan, stats };
if (Object.hasOwn(parts, first)) {
  await parts[first](second, Number(process.argv[4]));
} else {
  await writes(Number(first));
  const directory = mkdtempSync(join(tmpdir(), 'talaria-bench-'));
  await fill(directory, Number(second));
  print('filled', Math.round(statSync(join(directory, 'run.db')).size / 2 ** 20), 'MB', {
    rollouts: Number(second),
  });
  for (const part of Object.keys(parts)) {
    const script = fileURLToPath(import.meta.url);
    spawnSync(process.execPath, [script, part, directory, second], { stdio: 'inherit' });
  }
  rmSync(directory, { recursive: true });
}

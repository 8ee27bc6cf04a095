// How long a run of many finished rollouts and one that is left takes, once it is resumed, to its first request to the
// model, from the start of the process; and the most memory of that process, beside that of a small run. The run is
// planned through the store as the program does it; the outcomes are then copied in SQL, from one that was committed.
// Usage: resume.mjs [finished]. A million take some minutes to build and 2 GB of disk.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openEnvironment } from '../../dist/environments/load-environment.js';
import { planTasks } from '../../dist/runners/batch/plan-tasks.js';
import { connectStore } from '../../dist/runners/store/connect-store.js';
import { openRunStore } from '../../dist/runners/store/open-run-store.js';
import { benchConfig, benchSettings, report, startServer, temporaryFolder } from './lib.mjs';

const main = fileURLToPath(new URL('../../dist/runners/cli/main.js', import.meta.url));
const [count = 1_000_000] = process.argv.slice(2).map(Number);

const small = await resume(1000);
const large = await resume(count);
report({
  measure: 'resume_first_request',
  finished: count,
  milliseconds: large.milliseconds,
  small_run_milliseconds: small.milliseconds,
  must: 5000,
});
report({
  measure: 'resume_memory',
  finished: count,
  peak_rss_mb: large.peakMb,
  small_run_peak_rss_mb: small.peakMb,
  ratio: Math.round((large.peakMb / small.peakMb) * 100) / 100,
});

/** Builds a run of so many finished rollouts and one more, and resumes it with the real command line. */
async function resume(size) {
  const folder = temporaryFolder();
  await writeDataSet(join(folder, 'prompts.jsonl'), size + 1);
  const server = await startServer({ fast: true });
  const run = { folder, baseUrl: server.baseUrl, sets: ['run.threads=2'] };
  await build(await benchConfig(run), size);
  const started = Date.now();
  const peakMb = await resumedPeak(run);
  const { requests, first_request_ms: first } = await server.stats();
  server.stop();
  if (requests !== 1) {
    throw new Error(`Expected one request to be left, got ${requests}`);
  }
  return { milliseconds: Math.round(first - started), peakMb };
}

async function writeDataSet(path, rows) {
  const lines = function* () {
    for (let row = 0; row < rows; row++) {
      yield `${JSON.stringify({ prompt: `Prompt number ${row}. `.padEnd(200, 'x') })}\n`;
    }
  };
  await finished(Readable.from(lines()).pipe(createWriteStream(path)));
}

async function build(config, size) {
  const store = await openRunStore({
    directory: config.out,
    name: config.name,
    resume: false,
    identity: config.identity,
    configYaml: config.yaml,
    now: Date.now,
  });
  const environment = await openEnvironment(config.environment);
  await planTasks({
    environment,
    source: environment.name,
    store,
    samples: config.run.samples,
    limit: config.run.limit,
    signal: new AbortController().signal,
    now: Date.now,
    onGrown() {},
  });
  const lane = connectStore(store.connect());
  const [first] = await store.next(1);
  await lane.commit(outcomeOf(first));
  lane.close();
  await store.close();
  copyOutcome(join(config.out, 'run.db'), first.rolloutId, size);
}

/** Gives all tasks but the last the outcome of the first. */
function copyOutcome(path, first, size) {
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  const copy = (table, id) => {
    const columns = database
      .pragma(`table_info(${table})`)
      .map(({ name }) => name)
      .filter((name) => name !== id)
      .join(', ');
    database.exec(
      `INSERT INTO ${table} (${id}, ${columns}) SELECT task.id << 20, ${columns.replace(/\b(\w+)\b/g, `${table}.$1`)}
       FROM task, ${table} WHERE ${table}.${id} = ${first} AND task.ordinal BETWEEN 1 AND ${size - 1} ORDER BY task.id`,
    );
  };
  database.transaction(() => {
    copy('outcome', 'id');
    copy('record', 'rollout_id');
    copy('reward', 'rollout_id');
    copy('tool_stat', 'rollout_id');
    database.exec(
      `UPDATE task SET open = 0 WHERE ordinal < ${size};
       UPDATE tally SET outcomes = ${size}, final = ${size}, prompt_tokens = prompt_tokens * ${size},
         completion_tokens = completion_tokens * ${size}, model_calls = model_calls * ${size},
         cost_usd = cost_usd * ${size}, priced = priced * ${size};`,
    );
  })();
  database.close();
}

/** Runs `talaria run --resume` to its end; the highest memory of the process in MB. */
async function resumedPeak({ folder, baseUrl, sets }) {
  const all = benchSettings({ folder, baseUrl, sets }).flatMap((set) => ['--set', set]);
  const child = spawn(
    process.execPath,
    [main, 'run', '--resume', '--quiet', '--out', join(folder, 'run'), ...all],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder },
  );
  let peak = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has just ended.
    }
  }, 10);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  if (code !== 0) {
    throw new Error(`talaria ended with ${code}`);
  }
  return Math.round(peak / 1024);
}

function outcomeOf({ rolloutId, lease, attempt }) {
  return {
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
    toolStats: { terminal: { count: 6, success: 5, failure: 1 } },
    // Small: what matters is that a resume never reads any.
    record: new Uint8Array(randomBytes(200)),
  };
}

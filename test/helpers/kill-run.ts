import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type FakeModelRequest, startFakeModelServer } from '../../dist/testing/index.js';
import { seededRandom } from '../../src/random.js';
import { cliPath } from './cli-path.js';

export interface KillRunOptions {
  readonly prompts: number;
  readonly kills: number;
  readonly seed: number;
  /** Kind of sandbox in which the commands run. */
  readonly sandbox: 'local' | 'bubblewrap';
}

/** What went wrong, sentence by sentence, and how much was tried. */
export interface KillRunReport {
  readonly faults: readonly string[];
  readonly kills: number;
  readonly runs: number;
  readonly rollouts: number;
  readonly modelCalls: number;
  /** Replies that an unfinished rollout had stored and used again after a kill. */
  readonly replayedCalls: number;
}

const callsPerRollout = 4;

/**
 * Runs batches against a real model server and kills them with SIGKILL at random moments, each time going on with
 * `--resume`, until there were so many kills and the last run is complete. After each kill it notes what is stored; nothing
 * of that may change or be asked of the model again.
 */
export async function killRun(options: KillRunOptions): Promise<KillRunReport> {
  const random = seededRandom(options.seed);
  const report = {
    faults: [] as string[],
    kills: 0,
    runs: 0,
    rollouts: 0,
    modelCalls: 0,
    replayedCalls: 0,
  };
  while (report.kills < options.kills) {
    const run = await oneRun(options, options.kills - report.kills, random);
    report.runs += 1;
    report.kills += run.kills;
    report.rollouts += run.rollouts;
    report.modelCalls += run.modelCalls;
    report.replayedCalls += run.replayedCalls;
    report.faults.push(...run.faults.map((fault) => `run ${report.runs}: ${fault}`));
  }
  return report;
}

async function oneRun(options: KillRunOptions, killsLeft: number, random: () => number) {
  const folder = mkdtempSync(join(tmpdir(), 'talaria-kill-'));
  const calls = new Map<string, number>();
  const server = await startFakeModelServer({
    latencyMs: 25,
    script: (request) => answer(request, calls),
  });
  writeInputs(folder, server.baseUrl, options);
  const faults: string[] = [];
  let kills = 0;
  let stored: Stored = { records: new Map(), asked: new Set() };
  for (let start = 0; ; start += 1) {
    const callsBefore = new Map(calls);
    const plan = kills < killsLeft ? killPlan(random) : null;
    const end = await startRun(folder, start > 0, plan, () => server.requests);
    faults.push(...repeatedCalls(stored, callsBefore, calls));
    const now = readStored(folder);
    faults.push(...changedRecords(stored, now));
    stored = now;
    if (end.killed) {
      kills += 1;
      continue;
    }
    if (end.exitCode !== 0) {
      faults.push(`start ${start} ended with ${end.exitCode}: ${end.stderr.slice(-500)}`);
    }
    break;
  }
  await server.close();
  if (stored.records.size !== options.prompts) {
    faults.push(`${stored.records.size} records instead of ${options.prompts}`);
  }
  const replayedCalls = sumReplayed(folder);
  rmSync(folder, { recursive: true, force: true });
  const modelCalls = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return { faults, kills, rollouts: stored.records.size, modelCalls, replayedCalls };
}

interface KillPlan {
  readonly afterMs: number;
  /** Counted from the first request to the model, else from the start of the process. */
  readonly fromFirstRequest: boolean;
}

/** One kill in five hits the start of the process, the others a run that is under way. */
function killPlan(random: () => number): KillPlan {
  return random() < 0.2
    ? { fromFirstRequest: false, afterMs: random() * 800 }
    : { fromFirstRequest: true, afterMs: random() * 600 };
}

/** Says what to type next, by the conversation alone. Each prompt names itself. */
function answer(request: FakeModelRequest, calls: Map<string, number>) {
  const prompt = String(request.messages.find((message) => message.role === 'user')?.content);
  const turn = request.assistantTurns;
  const key = `${prompt}#${turn}`;
  calls.set(key, (calls.get(key) ?? 0) + 1);
  const reasoning = `Turn ${turn} of ${prompt}.`;
  return turn < callsPerRollout - 1
    ? {
        reasoning,
        toolCalls: [{ name: 'terminal', arguments: { command: `echo ${turn} >> log; cat log` } }],
      }
    : { reasoning, content: `${prompt} is done.` };
}

function writeInputs(folder: string, baseUrl: string, options: KillRunOptions): void {
  const rows = Array.from({ length: options.prompts }, (_, index) =>
    JSON.stringify({ id: `p${index}`, prompt: `p${index}` }),
  );
  writeFileSync(join(folder, 'prompts.jsonl'), `${rows.join('\n')}\n`);
  writeFileSync(
    join(folder, 'run.yaml'),
    [
      'environment: { kind: prompts, path: prompts.jsonl }',
      `model: { use: "openai:fake", base_url: "${baseUrl}" }`,
      'toolsets: { enabled: [terminal] }',
      `sandbox: { kind: ${options.sandbox}, trust: true }`,
      `run: { concurrency: 32, threads: 2 }`,
    ].join('\n'),
  );
}

function startRun(folder: string, resume: boolean, plan: KillPlan | null, requests: () => number) {
  const child = spawn(
    process.execPath,
    [cliPath, 'run', 'run.yaml', '--out', 'run', '--json', ...(resume ? ['--resume'] : [])],
    { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-4000);
  });
  const requestsBefore = requests();
  let killAt = plan === null || plan.fromFirstRequest ? null : performance.now() + plan.afterMs;
  const timer = setInterval(() => {
    if (plan?.fromFirstRequest && killAt === null && requests() > requestsBefore) {
      killAt = performance.now() + plan.afterMs;
    }
    if (killAt !== null && performance.now() >= killAt) {
      child.kill('SIGKILL');
    }
  }, 2);
  return new Promise<{ killed: boolean; exitCode: number | null; stderr: string }>((resolve) => {
    child.on('close', (exitCode, signal) => {
      clearInterval(timer);
      resolve({ killed: signal === 'SIGKILL', exitCode, stderr });
    });
  });
}

interface Stored {
  /** Hash of each record's bytes, by task. */
  readonly records: Map<string, string>;
  /** Calls whose replies are on disk, as the server counts them. */
  readonly asked: Set<string>;
}

/** Reads with SQL what is on disk, independently of the code under test. */
function readStored(folder: string): Stored {
  const path = join(folder, 'run', 'run.db');
  const stored: Stored = { records: new Map(), asked: new Set() };
  if (!existsSync(path)) {
    return stored;
  }
  const database = new Database(path);
  const tables = database
    .prepare("SELECT count(*) FROM sqlite_master WHERE name = 'journal'")
    .pluck();
  if (tables.get() === 1) {
    const name = '(SELECT name FROM task WHERE id = rollout_id >> 20)';
    const rows = database.prepare(`SELECT ${name} AS name, body FROM record`).all();
    for (const row of rows as { name: string; body: Buffer }[]) {
      stored.records.set(row.name, createHash('sha256').update(row.body).digest('hex'));
      for (let turn = 0; turn < callsPerRollout; turn += 1) {
        stored.asked.add(`${row.name}#${turn}`);
      }
    }
    const journal = database.prepare(`SELECT ${name} AS name, sequence FROM journal`).all();
    for (const row of journal as { name: string; sequence: number }[]) {
      stored.asked.add(`${row.name}#${row.sequence}`);
    }
  }
  database.close();
  return stored;
}

/** Calls that were made again although their replies were on disk. */
function repeatedCalls(
  stored: Stored,
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] {
  return [...after]
    .filter(([key, count]) => stored.asked.has(key) && count > (before.get(key) ?? 0))
    .map(([key]) => `the model was asked again for ${key}, whose reply was stored`);
}

function changedRecords(before: Stored, now: Stored): string[] {
  return [...before.records]
    .filter(([name, hash]) => now.records.get(name) !== hash)
    .map(([name]) => `the record of ${name} changed after a kill`);
}

function sumReplayed(folder: string): number {
  const database = new Database(join(folder, 'run', 'run.db'), { readonly: true });
  const sum = database.prepare('SELECT total(replayed_calls) FROM outcome').pluck().get();
  database.close();
  return Number(sum);
}

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import { sha256 } from '../../../src/hash.js';
import { temporaryDirectory } from './run-fixture.js';

const tasks = 1500;
const turns = 3;

/** Runs the writer and kills it after so many acknowledgements; what it said before is complete. */
function runUntil(directory: string, acknowledgements: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, 'crash-writer.mjs');
    const child = spawn(process.execPath, [script, directory, String(tasks), String(turns)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.split('\n').length > acknowledgements) {
        child.kill('SIGKILL');
      }
    });
    child.once('error', reject);
    child.once('close', () => resolve(text.split('\n').slice(0, -1)));
  });
}

test('a process that is killed at any moment loses nothing that was acknowledged and leaves nothing half', async () => {
  const directory = temporaryDirectory();
  const replied = new Set<string>();
  const done = new Set<string>();
  for (let round = 0; round < 10; round += 1) {
    const lines = await runUntil(directory, 60 + round * 97);
    for (const line of lines) {
      const [what, key = '', sequence] = line.split(' ');
      if (what === 'done') {
        expect(done.has(key), 'a finished rollout never runs again').toBe(false);
        done.add(key);
      } else if (what === 'replied') {
        expect(replied.has(`${key} ${sequence}`), 'a stored reply is never paid again').toBe(false);
        replied.add(`${key} ${sequence}`);
      }
    }
    check(directory, done, replied);
  }
  expect(done.size).toBeGreaterThan(100);

  const last = await runUntil(directory, Number.POSITIVE_INFINITY);
  expect(last.at(-1)).toBe('finished');
  const reader = openRunReader(directory);
  const { counts, tools, rewards } = reader.stats();
  expect(counts).toMatchObject({ pending: 0, costUsd: tasks, byStatus: { completed: tasks } });
  expect(tools['terminal']?.count).toBe(tasks);
  expect(rewards).toMatchObject([{ scored: tasks }]);
  reader.close();
}, 120_000);

function check(directory: string, done: ReadonlySet<string>, replied: ReadonlySet<string>): void {
  const reader = openRunReader(directory);
  const stored = new Set<string>();
  for (let index = 0; index < tasks; index += 1) {
    const key = sha256(`prompt ${index}`);
    const { record, journal } = reader.find(key, 0);
    if (record === null) {
      expect(journal.map((entry) => entry.sequence)).toEqual([...journal.keys()]);
      for (const entry of journal) {
        expect(JSON.parse(entry.reply).text).toBe(`${key} ${entry.sequence} `.repeat(100));
        stored.add(`${key} ${entry.sequence}`);
      }
    } else {
      expect(record).toMatchObject({ task_key: key, task: { prompt: key.repeat(100) } });
      for (let turn = 0; turn < turns; turn += 1) {
        stored.add(`${key} ${turn}`);
      }
      stored.add(key);
    }
  }
  expect(
    [...done].filter((key) => !stored.has(key)),
    'lost outcomes',
  ).toEqual([]);
  expect(
    [...replied].filter((reply) => !stored.has(reply)),
    'lost replies',
  ).toEqual([]);
  reader.close();

  const database = new Database(join(directory, 'run.db'), { readonly: true });
  const count = (sql: string) => database.prepare<[], number>(sql).pluck().get();
  const outcomes = count('SELECT count(*) FROM outcome');
  for (const table of ['record', 'reward', 'tool_stat']) {
    expect(count(`SELECT count(*) FROM ${table}`), table).toBe(outcomes);
  }
  expect(count('SELECT sum(outcomes) FROM tally')).toBe(outcomes === 0 ? null : outcomes);
  expect(count('SELECT count(*) FROM journal JOIN outcome ON id = rollout_id')).toBe(0);
  expect(database.pragma('quick_check', { simple: true })).toBe('ok');
  database.close();
}

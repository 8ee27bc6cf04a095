import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { compareIdentity } from '../../../runners/store/compare-identity.js';
import { openRunReader } from '../../../runners/store/open-run-reader.js';
import { writeRunYaml } from '../../../runners/store/write-run-yaml.js';
import { openRun, planPrompts, refusal, temporaryDirectory } from './run-fixture.js';

const identity = { 'model.use': '"openai:a"', 'run.seed': '0', 'sandbox.image': 'null' };

async function planOne(directory: string): Promise<void> {
  const store = await openRun(directory, { identity });
  await planPrompts(store, ['a']);
  await store.close();
}

test('an existing run is not started over: the user is told to add --resume', async () => {
  const directory = temporaryDirectory();
  const first = await openRun(directory, { identity });
  expect(first).toMatchObject({ resumed: false, warnings: [] });
  await planPrompts(first, ['a']);
  await first.close();
  const refused = await refusal(openRun(directory, { identity }));
  expect(refused.code).toBe('run_mismatch');
  expect(refused.message).toContain('Add --resume');
  const second = await openRun(directory, { identity, resume: true });
  expect(second).toMatchObject({ resumed: true, runId: first.runId, warnings: [] });
});

test('a resume with another identity is refused, with every changed option and both values', async () => {
  const directory = temporaryDirectory();
  await planOne(directory);
  const changed = { 'model.use': '"openai:b"', 'run.seed': '0', 'agent.max_turns': '30' };
  const { code, message } = await refusal(
    openRun(directory, { identity: changed, resume: true, configYaml: 'changed' }),
  );
  expect(code).toBe('run_mismatch');
  expect(message).toContain('model.use: it was "openai:a" and now is "openai:b"');
  expect(message).toContain('sandbox.image: it was null and now is not set');
  expect(message).toContain('agent.max_turns: it was not set and now is 30');
  expect(message).not.toContain('run.seed');
  expect(readFileSync(join(directory, 'run.yaml'), 'utf8')).toBe('name: a-run\n');
});

test('a directory that holds another run is refused and says what it holds', async () => {
  const directory = temporaryDirectory();
  await planOne(directory);
  const { code, message } = await refusal(
    openRun(directory, { name: 'b-run', identity: { ...identity, 'run.seed': '7' } }),
  );
  expect(code).toBe('run_mismatch');
  expect(message).toContain('holds another run, "a-run"');
  expect(message).toContain('run.seed: it was 0 and now is 7');
  expect(message).toContain('another --out');
});

test('a run that never had a task begins anew, whatever is asked for now', async () => {
  const directory = temporaryDirectory();
  await (await openRun(directory, { identity })).close();
  const changed = { ...identity, 'run.seed': '7' };
  const store = await openRun(directory, { name: 'b-run', identity: changed });
  expect(store).toMatchObject({ resumed: false, warnings: [] });
  await planPrompts(store, ['a']);
  await store.close();
  expect(openRunReader(directory).name).toBe('b-run');
  expect(
    (await openRun(directory, { name: 'b-run', identity: changed, resume: true })).resumed,
  ).toBe(true);
});

test('long values are shown where they differ', () => {
  const prompt = 'x'.repeat(500);
  const [line = ''] = compareIdentity(
    { 'agent.system_prompt': `${prompt}OLD${prompt}` },
    { 'agent.system_prompt': `${prompt}NEW${prompt}` },
  );
  expect(line).toContain('OLD');
  expect(line).toContain('NEW');
  expect(line.length).toBeLessThan(400);
});

test('a resume where there is no run begins one and says so', async () => {
  const store = await openRun(join(temporaryDirectory(), 'not', 'there'), { resume: true });
  expect(store.resumed).toBe(false);
  expect(store.warnings).toHaveLength(1);
  expect(store.warnings[0]).toContain('a new one begins');
});

test('options that are no identity may change, and run.yaml follows', async () => {
  const directory = temporaryDirectory();
  await (await openRun(directory)).close();
  await (await openRun(directory, { resume: true, configYaml: 'concurrency: 9\n' })).close();
  expect(readFileSync(join(directory, 'run.yaml'), 'utf8')).toBe('concurrency: 9\n');
  expect(writeRunYaml(directory, 'concurrency: 9\n')).toBe(false);
});

test('a file of another program is refused and left as it is', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'run.db');
  const other = new Database(path);
  other.exec('CREATE TABLE mine (a); PRAGMA user_version = 3');
  other.close();
  const before = readFileSync(path);
  expect(await refusal(openRun(directory))).toMatchObject({
    code: 'run_mismatch',
    message: expect.stringContaining('another program'),
  });
  expect(readFileSync(path)).toEqual(before);

  writeFileSync(path, 'this is no database, but it is long enough to look at'.repeat(30));
  expect(await refusal(openRun(directory))).toMatchObject({ code: 'run_damaged' });
});

test('a run of a newer version is refused by writer and reader', async () => {
  const directory = temporaryDirectory();
  await (await openRun(directory)).close();
  const database = new Database(join(directory, 'run.db'));
  database.pragma('user_version = 99');
  database.close();
  const newer = { code: 'run_mismatch', message: expect.stringContaining('newer version') };
  expect(await refusal(openRun(directory, { resume: true }))).toMatchObject(newer);
  expect(() => openRunReader(directory)).toThrow('newer version');
});

test.each(['missing', 'empty'])('a run whose run.db is %s does not begin anew', async (state) => {
  const directory = temporaryDirectory();
  await (await openRun(directory)).close();
  if (state === 'missing') {
    rmSync(join(directory, 'run.db'));
  } else {
    truncateSync(join(directory, 'run.db'), 0);
  }
  expect(await refusal(openRun(directory, { resume: true }))).toMatchObject({
    code: 'run_damaged',
    message: expect.stringContaining('missing or empty'),
  });
});

test('a directory with files of the user takes a run', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'notes'));
  const store = await openRun(directory);
  expect(await planPrompts(store, ['a'])).toEqual({ added: 1, merged: 0 });
  await store.close();
  expect(statSync(join(directory, 'notes')).isDirectory()).toBe(true);
});

// A process that works through a run and says what was acknowledged, until it is killed.
//   node crash-writer.mjs <directory> <tasks> <turns>
import { writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { connectStore } from '../../../dist/runners/store/connect-store.js';
import { openRunStore } from '../../../dist/runners/store/open-run-store.js';
import { sha256 } from '../../../dist/src/hash.js';

const [directory = '', tasks = '0', turns = '0'] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);

const store = await openRunStore({
  directory,
  name: 'crash',
  resume: true,
  identity: {},
  configYaml: 'name: crash\n',
  now: Date.now,
});
if ((await store.planned()) === null) {
  await store.beginPlan();
  const rows = Array.from({ length: Number(tasks) }, (_, index) => `prompt ${index}`);
  await store.plan(
    rows.map((prompt) => ({ key: sha256(prompt), task: { id: prompt, prompt } })),
    1,
  );
  await store.endPlan('rows', 1);
}

async function work(lane, rollout) {
  const { rolloutId, lease, attempt } = rollout;
  const journal = await lane.journal(rolloutId);
  for (let sequence = journal.length; sequence < Number(turns); sequence += 1) {
    const reply = JSON.stringify({ text: `${rollout.taskKey} ${sequence} `.repeat(100) });
    await lane.append(rolloutId, lease, { sequence, requestHash: String(sequence), reply });
    say(`replied ${rollout.taskKey} ${sequence}`);
  }
  const record = {
    schema: 'talaria/record/1',
    task_key: rollout.taskKey,
    task: { prompt: rollout.taskKey.repeat(100) },
  };
  await lane.commit({
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
    turns: Number(turns),
    turnsWithReasoning: 0,
    modelCalls: Number(turns),
    replayedCalls: journal.length,
    wastedCalls: 0,
    retries: 0,
    promptTokens: 1,
    completionTokens: 1,
    cachedTokens: 0,
    reasoningTokens: 0,
    costUsd: 1,
    seconds: 1,
    toolStats: { terminal: { count: 1, success: 1, failure: 0 } },
    record: gzipSync(JSON.stringify(record)),
  });
  say(`done ${rollout.taskKey}`);
}

const waiters = Array.from({ length: 16 }, async () => {
  const lane = connectStore(store.connect());
  for (;;) {
    const [rollout] = await store.next(1);
    if (rollout === undefined) {
      break;
    }
    await work(lane, rollout);
  }
  lane.close();
});
await Promise.all(waiters);
await store.close();
say('finished');

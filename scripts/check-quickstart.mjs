// Checks every task of configs/quickstart: its test fails on what the agent is given and on trivial answers, passes after the
// solution, passes again (so it is repeatable), and changes nothing in the work directory.
//
//   node scripts/check-quickstart.mjs [--json] [id ...]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../configs/quickstart', import.meta.url));
const args = process.argv.slice(2);
const asJson = args.includes('--json');
const wanted = args.filter((arg) => arg !== '--json');

const found = (await readdir(root)).sort();
const unknown = wanted.filter((id) => !found.includes(id));
if (unknown.length > 0) {
  process.stderr.write(`No such task: ${unknown.join(', ')}.\n`);
  process.exit(2);
}
const ids = wanted.length > 0 ? wanted : found;
const results = [];
const queue = ids.values();
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (const id of queue) {
      results.push(await checkTask(id));
    }
  }),
);
results.sort((a, b) => (a.id < b.id ? -1 : 1));
if (asJson) {
  process.stdout.write(`${JSON.stringify(results)}\n`);
} else {
  for (const { id, problems, testMs } of results) {
    process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${id} (test ${testMs} ms)\n`);
    for (const problem of problems) {
      process.stdout.write(`     ${problem.replaceAll('\n', '\n     ')}\n`);
    }
  }
}
process.exit(results.some(({ problems }) => problems.length > 0) ? 1 : 0);

async function checkTask(id) {
  const folder = join(root, id);
  const task = parse(await readFile(join(folder, 'task.yaml'), 'utf8'));
  const problems = await shapeProblems(id, folder, task);
  const scratch = await mkdtemp(join(tmpdir(), `quickstart-${id}-`));
  let testMs = 0;
  try {
    const untouched = await prepare(scratch, 'untouched', folder, task);
    const before = await test(untouched);
    if (before.code === 0) {
      problems.push('The test passes before the solution.');
    } else if (!before.output.includes('FAIL')) {
      problems.push(`The test fails without saying why:\n${before.output}`);
    }

    const solved = await prepare(scratch, 'solved', folder, task);
    for (const script of await solutionScripts(folder)) {
      const step = await run([join(folder, 'solution', script)], solved, {});
      if (step.leftBehind) {
        problems.push(`solution/${script} leaves a process behind.`);
      }
    }
    const answers = await answersOf(untouched.work, solved.work);
    const atEnd = await treeOf(solved.work);
    const after = await test(solved);
    testMs = after.ms;
    if (after.code !== 0) {
      problems.push(`The test fails after the solution:\n${after.output}`);
    }
    if ((await test(solved)).code !== after.code) {
      problems.push('A second run of the test ends otherwise than the first.');
    }
    if ((await treeOf(solved.work)) !== atEnd) {
      problems.push('The test changes the work directory.');
    }

    const trivial = await prepare(scratch, 'trivial', folder, task);
    for (const answer of answers) {
      const path = join(trivial.work, answer);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, '');
    }
    if (answers.length > 0 && (await test(trivial)).code === 0) {
      problems.push('The test passes with empty files as answers.');
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return { id, problems, testMs };
}

async function shapeProblems(id, folder, task) {
  const problems = [];
  if (task.schema !== 'talaria/1' || task.id !== id) {
    problems.push('task.yaml must have schema talaria/1 and the name of its folder as id.');
  }
  for (const file of ['instruction.md', 'tests/test.sh', 'solution/rationale.md']) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    if (text.trim() === '') {
      problems.push(`${file} is missing or empty.`);
    }
  }
  const scripts = (await solutionScripts(folder)).length;
  const rationale = await readFile(join(folder, 'solution/rationale.md'), 'utf8').catch(() => '');
  // The oracle takes one paragraph for each script as its reasoning.
  if (scripts === 0 || rationale.trim().split(/\n\s*\n/).length !== scripts) {
    problems.push('solution/ needs scripts, and one paragraph of rationale.md for each.');
  }
  return problems;
}

async function solutionScripts(folder) {
  return (await readdir(join(folder, 'solution'))).filter((name) => name.endsWith('.sh')).sort();
}

/** A work directory as the agent gets it, and the tests beside it. */
async function prepare(scratch, name, folder, task) {
  const work = join(scratch, name, 'work');
  const tests = join(scratch, name, 'tests');
  const temporary = join(scratch, name, 'tmp');
  await Promise.all([work, temporary].map((path) => mkdir(path, { recursive: true })));
  await cp(join(folder, 'files'), work, { recursive: true }).catch((error) => {
    if (error.code !== 'ENOENT') {
      throw error;
    }
  });
  await cp(join(folder, 'tests'), tests, { recursive: true });
  const place = { work, tests, temporary };
  if (task.setup) {
    const { code, output } = await run(['-ec', task.setup], place, {});
    if (code !== 0) {
      throw new Error(`setup of ${task.id} fails: ${output}`);
    }
  }
  return place;
}

async function test(place) {
  const started = performance.now();
  const result = await run([join(place.tests, 'test.sh')], place, { TALARIA_TESTS: place.tests });
  return { ...result, ms: Math.round(performance.now() - started) };
}

/** `sh` with nothing in its environment but a PATH and a place for temporary files: no HOME, no locale. */
function run(shellArgs, place, env) {
  return new Promise((resolve) => {
    const child = spawn('sh', shellArgs, {
      cwd: place.work,
      env: {
        PATH: `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`,
        TMPDIR: place.temporary,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 10_000);
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output, leftBehind: groupAlive(child.pid) });
    });
  });
}

function groupAlive(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

async function entriesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => ({
    entry,
    path: join(entry.parentPath ?? entry.path, entry.name),
  }));
}

/** Digest of names, kinds, modes and contents; git's own bookkeeping may be refreshed by a look. */
async function treeOf(folder) {
  const lines = [];
  for (const { entry, path } of await entriesOf(folder)) {
    if (path.includes('/.git/')) {
      continue;
    }
    if (entry.isSymbolicLink()) {
      lines.push(`${path} -> ${await readlink(path)}`);
    } else {
      const { mode } = await stat(path);
      const content = entry.isFile() ? await readFile(path) : '';
      lines.push(`${path} ${mode} ${createHash('sha256').update(content).digest('hex')}`);
    }
  }
  return lines.sort().join('\n');
}

/** Files that the solution made or rewrote, relative to the work directory. */
async function answersOf(before, after) {
  const answers = [];
  for (const { entry, path } of await entriesOf(after)) {
    const relative = path.slice(after.length + 1);
    if (entry.isFile() && !`/${relative}`.includes('/.git/')) {
      const old = await readFile(join(before, relative)).catch(() => null);
      if (old === null || !old.equals(await readFile(path))) {
        answers.push(relative);
      }
    }
  }
  return answers;
}

import { spawn } from 'node:child_process';

// Several at a time: most of the time goes into starting node.
const run = (input, ...args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['paginate.mjs', ...args]);
    const result = { args, input, stdout: '', stderr: '' };
    child.stdout.on('data', (data) => { result.stdout += data; });
    child.stderr.on('data', (data) => { result.stderr += data; });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (status) => resolve({ ...result, status }));
  });

const seven = 'a\nb\n\nd\ne\nf\ng\n';
const pages = [
  [seven, ['1', '3'], 'a\nb\n\n-- page 1 of 3 --\n'],
  [seven, ['2', '3'], 'd\ne\nf\n-- page 2 of 3 --\n'],
  [seven, ['3', '3'], 'g\n-- page 3 of 3 --\n'],
  [seven.trimEnd(), ['3', '3'], 'g\n-- page 3 of 3 --\n'],
  [seven, ['1', '100'], 'a\nb\n\nd\ne\nf\ng\n-- page 1 of 1 --\n'],
  ['', ['1', '5'], '-- page 1 of 1 --\n'],
  ['\n', ['1', '5'], '\n-- page 1 of 1 --\n'],
  ['x\n\n', ['2', '1'], '\n-- page 2 of 2 --\n'],
];
const refused = [['4', '3'], ['0', '3'], ['1', '0'], ['1.5', '3'], ['2x', '3'], ['1', ''], ['1'], ['1e0', '3']];

const shown = await Promise.all(pages.map(([input, args]) => run(input, ...args)));
for (const [index, { input, args, status, stdout }] of shown.entries()) {
  if (status !== 0 || stdout !== pages[index][2]) {
    console.log(`FAIL: ${args.join(' ')} on ${JSON.stringify(input)}: exit code ${status}, ${JSON.stringify(stdout)}`);
    process.exit(1);
  }
}
const results = await Promise.all([...refused.map((args) => run(seven, ...args)), run('', '2', '5')]);
for (const { args, status, stdout, stderr } of results) {
  if (status !== 2 || stdout !== '' || stderr.trim() === '') {
    console.log(`FAIL: ${JSON.stringify(args)} is not refused as asked: exit code ${status}, ${JSON.stringify(stdout)}`);
    process.exit(1);
  }
}
console.log('ok');

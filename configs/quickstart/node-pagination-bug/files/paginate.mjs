import { readFileSync } from 'node:fs';

const page = parseInt(process.argv[2]);
const size = parseInt(process.argv[3]);

if (!page || !size) {
  console.log('usage: paginate.mjs <page> <size>');
  process.exit(1);
}

const lines = readFileSync(0, 'utf8').split('\n').filter((line) => line !== '');
const pages = Math.floor(lines.length / size);
const start = page * size;

for (let index = start; index <= start + size; index++) {
  console.log(lines[index]);
}
console.log(`-- page ${page} of ${pages} --`);

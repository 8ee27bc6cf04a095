cat > paginate.mjs <<'END'
import { readFileSync } from 'node:fs';

function refuse(message) {
  process.stderr.write(`${message}\nusage: paginate.mjs <page> <size>\n`);
  process.exit(2);
}

function positive(text, name) {
  if (!/^[0-9]+$/.test(text ?? '') || Number(text) < 1) {
    refuse(`${name} must be a whole number of at least 1`);
  }
  return Number(text);
}

const page = positive(process.argv[2], 'page');
const size = positive(process.argv[3], 'size');

const text = readFileSync(0, 'utf8');
const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
const pages = Math.max(1, Math.ceil(lines.length / size));
if (page > pages) {
  refuse(`there are only ${pages} pages`);
}

const shown = lines.slice((page - 1) * size, page * size);
process.stdout.write([...shown, `-- page ${page} of ${pages} --`, ''].join('\n'));
END
node paginate.mjs 1 3 < items.txt
node paginate.mjs 3 3 < items.txt

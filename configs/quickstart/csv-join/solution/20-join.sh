cat > join.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';

function parse(text) {
  const records = [];
  let record = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') { field += '"'; at += 1; }
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',' || character === '\n') {
      record.push(field);
      field = '';
      if (character === '\n') { records.push(record); record = []; }
    } else field += character;
  }
  if (field !== '' || record.length > 0) records.push([...record, field]);
  return records.slice(1);
}

const key = (id) => id.trim().toLowerCase();
const write = (field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

const customers = new Map(parse(readFileSync('customers.csv', 'utf8')).map(([id, name, city]) => [key(id), [name, city]]));
const rows = parse(readFileSync('orders.csv', 'utf8')).map(([order, id, total]) => [order, ...(customers.get(key(id)) ?? ['', '']), total]);
writeFileSync('joined.csv', [['order', 'name', 'city', 'total'], ...rows].map((row) => `${row.map(write).join(',')}\n`).join(''));
END
node join.mjs
cat joined.csv

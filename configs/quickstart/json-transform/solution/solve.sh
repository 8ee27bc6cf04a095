cat > transform.mjs <<'END'
import { readFileSync, writeFileSync } from 'node:fs';

const lines = [];
function walk(category, path, tags) {
  if (category.hidden) return;
  const names = [...path, category.name];
  const inherited = [...tags, ...(category.tags ?? [])];
  for (const { sku, name, price, hidden, tags: own = [] } of category.products ?? []) {
    if (hidden) continue;
    lines.push(JSON.stringify({
      sku,
      path: names.join(' > '),
      name: name.trim(),
      cents: Math.round(Number(price) * 100),
      tags: [...new Set([...inherited, ...own])].sort(),
    }));
  }
  for (const child of category.categories ?? []) walk(child, names, inherited);
}
walk(JSON.parse(readFileSync('catalog.json', 'utf8')), [], []);
writeFileSync('products.ndjson', lines.map((line) => `${line}\n`).join(''));
END
node transform.mjs
cat products.ndjson

import { basename } from 'node:path';

/**
 * What to do with a data set that is no JSONL, by its name and its first line; null when it may well be JSONL with a bad
 * row. The advice needs nothing but what the people who have such a file have.
 */
export function otherFormatAdvice(path: string, firstLine: string | null): string | null {
  const name = basename(path);
  const start = firstLine?.trimStart() ?? '';
  if (/\.(csv|tsv)$/i.test(name)) {
    const dialect = /\.tsv$/i.test(name) ? ', delimiter=chr(9)' : '';
    return `It is a table; this makes JSONL of it: python3 -c 'import csv, json, sys; [print(json.dumps(row)) for row in csv.DictReader(sys.stdin${dialect})]' < ${name} > rows.jsonl`;
  }
  if (/\.(parquet|arrow|feather)$/i.test(name)) {
    const read = /\.parquet$/i.test(name) ? 'read_parquet' : 'read_feather';
    return `It is a binary table; this makes JSONL of it: python3 -c 'import pandas; pandas.${read}("${name}").to_json("rows.jsonl", orient="records", lines=True)'`;
  }
  if (/\.(gz|bz2|xz|zst|zip)$/i.test(name)) {
    return 'It is compressed: unpack it first';
  }
  if (/\.txt$/i.test(name)) {
    return `If it holds one prompt a line, this makes JSONL of it: jq -Rc '{prompt: .}' ${name} > rows.jsonl`;
  }
  if (/\.ya?ml$/i.test(name)) {
    return 'It is YAML, and not a data set';
  }
  if (start.startsWith('[')) {
    return `It is one JSON list; this makes JSONL of it: jq -c '.[]' ${name} > rows.jsonl`;
  }
  return /^\{\s*$/.test(start)
    ? `Its objects stretch over several lines; this makes JSONL of it: jq -c . ${name} > rows.jsonl`
    : null;
}

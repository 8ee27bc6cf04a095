import { usageError } from '../../../src/errors.js';
import { jsonLine } from '../../../src/text/json-line.js';
import { didYouMean, nearestName } from '../../../src/text/nearest-name.js';
import type { CommandBody } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { type ListedItem, listings } from '../listings.js';
import { textTable } from '../text-table.js';

/** `talaria list tools|toolsets|distributions|models|environments|rewards|formats` */
export const list: CommandBody = async ({ positionals: [what = ''], flags }, context) => {
  const lister = Object.hasOwn(listings, what) ? listings[what] : undefined;
  if (lister === undefined) {
    const names = Object.keys(listings);
    throw usageError(
      `Cannot list "${what}"${didYouMean(nearestName(what, names))} There are ${names.join(', ')}.`,
    );
  }
  const items = await lister();
  await context.stdout.write(flags.has('json') ? `${jsonLine(items, 2)}\n` : tableOf(items));
  return exitCode.done;
};

function tableOf(items: readonly ListedItem[]): string {
  if (items.length === 0) {
    return 'none\n';
  }
  const details = items.some((item) => item.details !== '');
  return textTable(
    ['name', ...(details ? ['details'] : []), 'description'],
    items.map((item) => [
      item.name,
      ...(details ? [item.details] : []),
      firstLine(item.description),
    ]),
  );
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}

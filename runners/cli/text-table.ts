/**
 * Rows as aligned columns, numbers to the right. Cells must be safe for a terminal. Trailing spaces are left out.
 */
export function textTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) =>
    Math.max(...cells.map((row) => [...(row[column] ?? '')].length)),
  );
  const numeric = header.map((_, column) =>
    rows.every((row) => /^[-$~]?[\d.,]+[%kM]?$|^-$|^$/.test(String(row[column] ?? ''))),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const space = ' '.repeat((widths[column] ?? 0) - [...cell].length);
          return numeric[column] === true ? space + cell : cell + space;
        })
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

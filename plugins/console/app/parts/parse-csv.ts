/** Reads files of comma-separated values. */

/** Rows with their values by the names in the first line. */
export type CsvRow = Readonly<Record<string, string>>;

/**
 * Reads text of RFC 4180, with commas or semicolons. Blank lines are left out; names of columns are compared without blanks and
 * without regard to case.
 * @throws Error if a column is missing, there are more rows than `most`, or a quote is not closed
 */
export function parseCsv(text: string, required: readonly string[], most: number): readonly CsvRow[] {
  const firstLine = text.split(/\r?\n/, 1)[0] ?? '';
  const separator = firstLine.includes(',') || !firstLine.includes(';') ? ',' : ';';
  const [head = [], ...lines] = linesOf(text.replace(/^\uFEFF/, ''), separator);
  const names = head.map((name) => name.trim().toLowerCase());
  const missing = required.filter((name) => !names.includes(name.toLowerCase()));
  if (missing.length > 0) throw new Error(`The first line lacks ${missing.join(', ')}. Name the columns there.`);
  const rows = lines.filter((cells) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length > most)
    throw new Error(`The file has ${rows.length} rows. Split it: at most ${most} are imported at once.`);
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? '').trim()])));
}

function linesOf(text: string, separator: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      lines.push([...cells, cell.replace(/\r$/, '')]);
      cells = [];
      cell = '';
    } else cell += character;
  }
  if (isQuoted) throw new Error('A quote is not closed. Check the file in a spreadsheet.');
  if (cell !== '' || cells.length > 0) lines.push([...cells, cell]);
  return lines;
}

/** Reads files of comma-separated values. */
import { parseCsv as rowsOf } from '../../../csv/index.ts';

/** A row: the line on which it begins, and its values by the names in the first line. */
export interface CsvRow {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/**
 * Reads text of RFC 4180, with commas or semicolons. Blank lines are left out; names of columns are compared without blanks and
 * without regard to case.
 * @throws Error if a column is missing or there twice, there are more rows than `most`, or a quote is out of place
 */
export function parseCsv(text: string, required: readonly string[], most: number): readonly CsvRow[] {
  const [head, ...lines] = rowsOf(text);
  const names = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  const missing = required.filter((name) => !names.includes(name.toLowerCase()));
  if (missing.length > 0) throw new Error(`The first line lacks ${missing.join(', ')}. Name the columns there.`);
  const twice = names.filter((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`The first line names ${twice.join(', ')} twice. Keep one of them.`);
  const rows = lines.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length > most)
    throw new Error(`The file has ${rows.length} rows. Split it: at most ${most} are imported at once.`);
  return rows.map(({ line, cells }) => ({
    line,
    values: Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? '').trim()])),
  }));
}

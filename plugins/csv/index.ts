/** Tables as comma-separated values, for the command line and the console. */
import Papa from 'papaparse';
import { withoutUnprintable } from '../../core/printable.ts';

/** A row and the line of the text on which it begins. */
interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A row whose cells have the names of their columns. */
export interface NamedRow {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/** Numbers reads the forms in full width as signs of a formula, too. */
const SIGN = '[=+\\-@＝＋－＠﹢﹣﹦﹫]';
/** Text cells that begin so are formulas to some spreadsheet. Blanks and characters without a width are trimmed. */
const FORMULA = new RegExp(`^[\\s\\p{Cf}']*${SIGN}|^'*[\\t\\r\\n]`, 'u');
/**
 * What makes a formula inside a cell, for a spreadsheet that separates by semicolons, as in half of Europe, or by tabs. None
 * begins with a closing bracket: it is a smiley. One may begin with `-(`, and with `-` before the comma of the next cell.
 */
const INNER = `(?=(?:(?![\\t\\n])[\\s\\p{Cf}"'])*${SIGN}(?!\\)))`;
const INNER_FORMULA = new RegExp(`[;\\t\\n]${INNER}`, 'gu');
const INNER_TEXT = new RegExp(`([;\\t\\n])'${INNER}`, 'gu');

/** What a file of refused rows says of each, before its values. */
const OF_REFUSAL: readonly string[] = ['line', 'code', 'reason'];

/**
 * Writes RFC 4180, without a line end behind the last row. Control characters are left out, and then what a spreadsheet
 * would run as a formula is made text by a quote before it.
 */
export function toCsv(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const clean = (cell: unknown) =>
    typeof cell === 'string' ? withoutUnprintable(cell).replace(INNER_FORMULA, "$&'") : cell;
  return Papa.unparse(
    [columns, ...rows].map((cells) => cells.map(clean)),
    { escapeFormulae: FORMULA },
  );
}

/** Takes away the quotes with which `toCsv` makes text of formulas, and no others. */
function asBeforeWriting(cell: string): string {
  const isQuoted = cell.startsWith("'") && FORMULA.test(cell.slice(1));
  return (isQuoted ? cell.slice(1) : cell).replace(INNER_TEXT, '$1');
}

/**
 * Reads RFC 4180, with commas or semicolons and any line ends. Empty lines are left out; line ends within cells become `\n`.
 * @throws Error naming the line, for a quote that is out of place
 */
export function parseCsv(text: string): readonly CsvRow[] {
  // Files that are put together from several have more than one kind of line end.
  const whole = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [firstLine = ''] = whole.split('\n', 1);
  const delimiter = firstLine.includes(',') || !firstLine.includes(';') ? ',' : ';';
  const cell = `(?:"[^"]*(?:""[^"]*)*"|[^"${delimiter}\\n]*)`;
  const wellQuoted = new RegExp(`^${cell}(?:${delimiter}${cell})*\\n?$`);
  const rows: CsvRow[] = [];
  let [line, at] = [1, 0];
  Papa.parse<readonly string[]>(whole, {
    delimiter,
    newline: '\n',
    step: ({ data: cells, errors, meta: { cursor } }) => {
      const row = whole.slice(at, cursor);
      const codes = errors.map(({ code }) => code);
      if (codes.includes('MissingQuotes') && !codes.includes('InvalidQuotes')) {
        throw new Error(`Line ${line} has a quote that is never closed. While it is not closed, the rest is one cell.`);
      }
      // The library takes a quote inside a cell without quotes for text: then it is a guess where the cell ends.
      if (!wellQuoted.test(row)) {
        throw new Error(`Line ${line} has a quote inside a cell. Put the cell in quotes and double the quote.`);
      }
      if (row.trim() !== '') rows.push({ line, cells });
      line += row.split('\n').length - 1;
      at = cursor;
    },
  });
  return rows;
}

/**
 * Reads a file whose first line names its columns: `external_id`, `External ID` and `externalId` are one. Values are trimmed. Those
 * without text are left out, and rows that have no others. A file of refused rows is read as the rows that were refused: without
 * the columns `line`, `code` and `reason`, and if all three are there, with its values as they were before `toCsv` wrote them.
 * @throws Error for a column that is missing, unknown or there twice, a row with more cells than columns, or a quote out of place
 */
export function readTable(text: string, required: readonly string[], optional: readonly string[]): readonly NamedRow[] {
  const known = [...required, ...optional];
  const [head, ...rows] = parseCsv(text);
  if (head === undefined)
    throw new Error(`The file is empty. Its first line must name the columns ${required.join(', ')}.`);
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const named = [...known, ...OF_REFUSAL];
  const names = head.cells.map((cell) => named.find((name) => plain(name) === plain(cell)) ?? cell);
  const missing = required.filter((name) => !names.includes(name));
  const unknown = names.filter((name, at) => !named.includes(name) || names.indexOf(name) !== at);
  if (missing.length > 0) throw new Error(`The first line lacks the columns ${missing.join(', ')}.`);
  if (unknown.length > 0) {
    throw new Error(`Columns that are unknown or there twice: ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  }
  const restored = OF_REFUSAL.every((name) => names.includes(name)) ? asBeforeWriting : (cell: string) => cell;
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  return filled.map(({ line, cells }) => {
    if (cells.length > names.length) throw new Error(`Line ${line} has more cells than the first line.`);
    const entries = names.map((name, at) => [name, restored(cells[at]?.trim() ?? '')] as const);
    const told = entries.filter(([name, value]) => known.includes(name) && value !== '');
    return { line, values: Object.fromEntries(told) };
  });
}

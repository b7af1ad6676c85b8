/** Tables as comma-separated values, for the command line and the console. */
import Papa from 'papaparse';
import { withoutUnprintable } from '../../core/printable.ts';

/** A row and the line of the text on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Text cells that begin so are formulas to some spreadsheet. Numbers reads the forms in full width so, too. Blanks and
 * characters without a width are trimmed.
 */
const FORMULA = /^[\s\p{Cf}]*[=+\-@＝＋－＠﹢﹣﹦﹫]|^[\t\r\n]/u;

/**
 * Writes RFC 4180, without a line end behind the last row. Control characters are left out, and then a cell that a spreadsheet
 * would run as a formula is made text by a quote before it.
 */
export function toCsv(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const clean = (cell: unknown) => (typeof cell === 'string' ? withoutUnprintable(cell) : cell);
  return Papa.unparse(
    [columns, ...rows].map((cells) => cells.map(clean)),
    { escapeFormulae: FORMULA },
  );
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

/** Reads CSV (RFC 4180) row by row: quoted cells may hold separators, quotes and line ends. */
import { createReadStream } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** A row and the line of the file on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const MAX_CELL_CHARACTERS = 10_000;
const MAX_CELLS = 200;

const QUOTE = '"';

/**
 * The rows of a text that comes in pieces; empty lines are left out. Holds one row in memory.
 * @throws UsageError naming the line, for a quote that is out of place, and for a cell or row that is too large
 */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let [cells, cell]: [string[], string] = [[], ''];
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let [line, firstLine] = [1, 1];
  let isAfterReturn = false;
  let isFirst = true;

  const endCell = () => {
    cells.push(cell);
    [cell, state] = ['', 'start'];
    if (cells.length > MAX_CELLS) throw new UsageError(`Line ${firstLine} has more than ${MAX_CELLS} cells.`);
  };
  const add = (character: string) => {
    cell += character;
    if (cell.length <= MAX_CELL_CHARACTERS) return;
    throw new UsageError(`Line ${firstLine} has a cell of more than ${MAX_CELL_CHARACTERS} characters.`);
  };

  for await (const piece of pieces) {
    for (const character of isFirst ? piece.replace(/^\uFEFF/, '') : piece) {
      isFirst = false;
      const isRestOfEnd = isAfterReturn && character === '\n';
      isAfterReturn = character === '\r';
      if (character === '\n' ? !isRestOfEnd : isAfterReturn) line += 1;
      if (state === 'quoted') {
        if (character === QUOTE) state = 'closed';
        else add(character);
      } else if (isRestOfEnd) {
        firstLine = line;
      } else if (character === '\n' || character === '\r') {
        const isEmpty = cells.length === 0 && cell === '' && state === 'start';
        endCell();
        if (!isEmpty) yield { line: firstLine, cells };
        [cells, firstLine] = [[], line];
      } else if (character === ',') {
        endCell();
      } else if (character === QUOTE && state !== 'plain') {
        // Two quotes within a quoted cell are one.
        if (state === 'closed') add(QUOTE);
        state = 'quoted';
      } else if (state === 'closed' || character === QUOTE) {
        throw new UsageError(`Line ${line} has a quote inside a cell. Put the cell in quotes and double the quote.`);
      } else {
        state = 'plain';
        add(character);
      }
    }
  }
  if (state === 'quoted') throw new UsageError(`Line ${firstLine} has a quote that is never closed.`);
  if (cells.length === 0 && cell === '' && state === 'start') return;
  endCell();
  yield { line: firstLine, cells };
}

/** The rows of a file in UTF-8. @throws as `csvRows`, and what reading the file throws */
export function csvFile(path: string): AsyncGenerator<CsvRow> {
  return csvRows(createReadStream(path, { encoding: 'utf8' }));
}

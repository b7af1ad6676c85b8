/** What commands print: text that a person reads, JSON or CSV for machines. */
import { printable } from '../../core/printable.ts';
import { toCsv } from '../../plugins/csv/index.ts';

export type Format = 'text' | 'json' | 'csv';

type Row = Readonly<Record<string, unknown>>;

const WIDEST_CELL = 60;
/** A cell is cut to no less: times stay whole. */
const NARROWEST_CUT = 24;
const GAP = 2;

/** Formats the answer of an operation. Lists become tables, objects lines of `name  value` with their lists as tables below. */
export function format(answer: unknown, as: Format, columns = Number.POSITIVE_INFINITY): string {
  if (as === 'json') return printable(JSON.stringify(answer, null, 2));
  const data = dataOf(answer);
  const rows = rowsOf(data);
  if (as === 'csv') return csv(rows ?? [data as Row]);
  return [textOf(data, rows, answer, columns), ...warningOf(answer)].join('\n');
}

function textOf(data: unknown, rows: readonly Row[] | null, answer: unknown, columns: number): string {
  if (rows !== null) return rows.length === 0 ? 'none' : table(rows, pageLine(answer), columns);
  if (typeof data === 'object' && data !== null) return paragraphs(flat(data as Row), columns);
  if (data === null) return 'none';
  return data === undefined ? 'done' : plain(data);
}

/** The warning beside `data`. */
function warningOf(answer: unknown): readonly string[] {
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return [];
  return 'warning' in answer && typeof answer.warning === 'string' ? [`warning: ${plain(answer.warning)}`] : [];
}

/** The rows of a list; null when `data` is none. */
export function rowsOf(data: unknown): readonly Row[] | null {
  if (!Array.isArray(data)) return null;
  return data.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null ? (entry as Row) : { value: entry },
  );
}

export function dataOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'data' in answer ? answer.data : answer;
}

/** A line of names, then the rows; objects become dotted columns. */
export function csv(rows: readonly Row[]): string {
  const flattened = rows.map((row) => flat(row));
  const names = columnsOf(flattened);
  const cell = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);
  return toCsv(
    names,
    flattened.map((row) => names.map((name) => cell(valueIn(row, name)))),
  );
}

/** Without the columns of objects that are null in some rows: in others they are dotted columns. */
function columnsOf(flattened: readonly Row[]): readonly string[] {
  const names = [...new Set(flattened.flatMap((row) => Object.keys(row)))];
  const isObjects = (name: string) => names.some((other) => other.startsWith(`${name}.`));
  return names.filter((name) => !isObjects(name) || flattened.some((row) => (valueIn(row, name) ?? null) !== null));
}

/** Names come from strangers: `constructor` is none that a row has by itself. */
function valueIn(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

/** In a terminal that is too narrow for it, cells are cut; if little would be left of them, each row has lines of its own. */
function table(rows: readonly Row[], foot: string, columns: number): string {
  const flattened = rows.map((row) => flat(row));
  const names = columnsOf(flattened);
  const cells = flattened.map((row) => names.map((name) => clipped(shown(valueIn(row, name), ', '))));
  const head = names.map(oneLine);
  const wanted = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const widths = fitting(wanted, columns);
  if (widths === null) {
    const shown = flattened.map((row) => lines(names.map((name) => [name, valueIn(row, name)])));
    return [...shown, ...(foot === '' ? [] : [foot])].join('\n\n');
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => clipped(cell, widths[at]).padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...cells.map(line), ...(foot === '' ? [] : [foot])].join('\n');
}

/** Lines of an object, then a table for each list of objects in it. */
function paragraphs(row: Row, columns: number): string {
  const isTable = ([, value]: readonly [string, unknown]) => Array.isArray(value) && !isListOfValues(value);
  const entries = Object.entries(row);
  const tables = entries
    .filter(isTable)
    .map(([name, list]) => `${oneLine(name)}:\n${table(rowsOf(list) ?? [], '', columns)}`);
  const others = entries.filter((entry) => !isTable(entry));
  return [...(others.length > 0 ? [lines(others)] : []), ...tables].join('\n\n');
}

/** Further lines of a value begin below the first: none passes for another field. */
function lines(entries: readonly (readonly [string, unknown])[]): string {
  const width = Math.max(...entries.map(([name]) => oneLine(name).length));
  const indent = `\n${' '.repeat(width + 2)}`;
  return entries
    .map(([name, value]) => `${oneLine(name).padEnd(width)}  ${shown(value, '\n').replaceAll('\n', indent)}`)
    .map((line) => line.trimEnd())
    .join('\n');
}

/** True without objects and lists in it; an empty list is one. */
function isListOfValues(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((entry) => typeof entry !== 'object' || entry === null);
}

function shown(value: unknown, separator: string): string {
  return isListOfValues(value) ? value.map(plain).join(separator) || 'none' : plain(value);
}

function flat(row: Row, above = ''): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flat(value as Row, `${above}${name}.`))
        : [[`${above}${name}`, value]],
    ),
  );
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ');
}

/** Widths that fit, the widest ones cut first; null if there is no room for what one could read. */
function fitting(wanted: readonly number[], columns: number): readonly number[] | null {
  const room = columns - GAP * (wanted.length - 1);
  const widths = [...wanted];
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over -= 1) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST_CUT) return null;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function clipped(text: string, width = WIDEST_CELL): string {
  const line = oneLine(text);
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}

function pageLine(answer: unknown): string {
  const { pagination } = (answer ?? {}) as { pagination?: { page: number; limit: number; total: number } };
  if (pagination === undefined || pagination.total <= pagination.limit) return '';
  const { page, limit, total } = pagination;
  return `page ${page} of ${Math.ceil(total / limit)}, ${total} in all; --all reads every page`;
}

/** Values of columns, pages and pieces. */
import { pieces } from '../../core/bulk.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { Among, type Sql, type SqlConnection, type Value, type Work } from './work.ts';

/** Milliseconds since 1970. @throws RangeError for an invalid date, which would else be stored as NULL. */
export function millis(date: Date): number {
  const value = date.getTime();
  if (!Number.isFinite(value)) throw new RangeError('An invalid Date cannot be stored.');
  return value;
}

/** Rows in one bulk transaction: few enough that the event loop waits for some milliseconds only. */
export const BULK_ROWS = 500;

/**
 * Writes a bulk in transactions of at most `BULK_ROWS` items, so that others continue in between. One that fails leaves the
 * earlier ones. Returns the results in the order of the items.
 */
export async function writeMany<Item, Result>(
  connection: SqlConnection,
  items: readonly Item[],
  work: (sql: Sql, some: readonly Item[]) => Work<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const some of pieces(items, BULK_ROWS)) results.push(...(await connection.write((sql) => work(sql, some))));
  return results;
}

/** Whether a statement changes a row. */
export function* changesSome(sql: Sql, text: string, ...values: readonly Value[]): Work<boolean> {
  return (yield* sql.run(text, ...values)) > 0;
}

/** One statement for so many queries of this text. */
export const each = (text: string, times: number) =>
  Array.from({ length: times }, (_, n) => `SELECT * FROM (${text}) AS each_${n}`).join(' UNION ALL ');

/** A row that is due, and since when, in milliseconds. */
export interface Due {
  readonly id: number;
  readonly at: number;
}

/** The ids of those that have waited longest. */
export function longestWaiting(due: Due[], most: number): number[] {
  const inOrder = due.sort((one, other) => one.at - other.at || one.id - other.id);
  return inOrder.slice(0, most).map(({ id }) => id);
}

/** Sets the end of leases. @returns the ids whose fence still held */
export function* extendLeases(
  sql: Sql,
  table: 'jobs' | 'deliveries',
  { live, ends }: { readonly live: string; readonly ends: string },
  leased: readonly { readonly id: number; readonly lease: number }[],
  until: Date,
): Work<number[]> {
  const those = 'id IN (?)';
  const ids = new Among(leased.map(({ id }) => id));
  const text = `SELECT id, lease FROM ${table} WHERE ${those} AND status = '${live}' ORDER BY id FOR UPDATE`;
  const rows = yield* sql.all<{ id: number; lease: number }>(text, ids);
  const fences = new Map(rows.map(({ id, lease }) => [id, lease]));
  const held = leased.filter(({ id, lease }) => fences.get(id) === lease).map(({ id }) => id);
  yield* sql.run(`UPDATE ${table} SET ${ends} = ? WHERE ${those}`, millis(until), new Among(held));
  return held;
}

/** A number that is reckoned with before the database sees it. @throws TypeError for anything but a whole number */
export function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('a whole number is needed');
  return value;
}

/** A text that no statement binds as it is given. @throws TypeError for anything but text */
export function text(value: string): string {
  if (typeof value !== 'string') throw new TypeError('a text is needed');
  return value;
}

/** The values of `(time, id) > (?, ?)`. */
export function behind(after: WaitingCursor | undefined): readonly [Value, Value] {
  return after === undefined ? [Number.MIN_SAFE_INTEGER, 0] : [millis(after.since), after.id];
}

/** Values of columns, pages and pieces. */
import { pieces } from '../../core/bulk.ts';
import { parseJson } from '../../core/json-reader.ts';
import type { Waiting, WaitingCursor } from '../../core/ports/waiting.ts';
import type { Sql, SqlConnection, Value, Work } from './work.ts';

/** Milliseconds since 1970. @throws RangeError for an invalid date, which would else be stored as NULL. */
export function millis(date: Date): number {
  const value = date.getTime();
  if (!Number.isFinite(value)) throw new RangeError('An invalid Date cannot be stored.');
  return value;
}

export function toDate(value: number): Date {
  return new Date(value);
}

/** Reads JSON that this adapter wrote; `T` is what it wrote. */
export function fromJson<T>(text: string): T {
  return parseJson(text) as T;
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

/** The ids of those whose lease was found, and changed. */
export function* stillHeld<Leased extends { readonly id: number }>(
  leased: readonly Leased[],
  change: (one: Leased) => Work<number>,
): Work<number[]> {
  const held: number[] = [];
  for (const one of leased) if ((yield* change(one)) > 0) held.push(one.id);
  return held;
}

/** A number that is reckoned with before the database sees it. @throws TypeError for anything but a whole number */
export function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('a whole number is needed');
  return value;
}

/** A row of `core/ports/waiting.ts`. */
export type WaitingRow<T> = T & { readonly id: number; readonly since: number };

/** The values of `(time, id) > (?, ?)`. */
export function behind(after: WaitingCursor | undefined): readonly [Value, Value] {
  return after === undefined ? [Number.MIN_SAFE_INTEGER, 0] : [millis(after.since), after.id];
}

export function toWaiting<T>(row: WaitingRow<T>): T & Waiting {
  return { ...row, since: toDate(row.since) };
}

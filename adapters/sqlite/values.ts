/** Values of columns, pages and pieces. */
import { parseJson } from '../../core/json-reader.ts';
import type { Waiting, WaitingCursor } from '../../core/ports/waiting.ts';

/** What a statement takes and gives. */
export type Value = string | number | null;

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

/** A number that is reckoned with before SQLite sees it. @throws TypeError for anything but a whole number */
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

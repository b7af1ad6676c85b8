/** Pieces of what waits, in the order of `core/ports/waiting.ts`. */
import type { Waiting, WaitingCursor } from '../../core/ports/waiting.ts';
import { millis, toDate, type Value } from './values.ts';

export type WaitingRow<T extends Waiting> = Omit<T, 'since'> & { readonly since: number };

/** The values of `(time, id) > (?, ?)`. */
export function behind(after: WaitingCursor | undefined): readonly [Value, Value] {
  return after === undefined ? [Number.MIN_SAFE_INTEGER, 0] : [millis(after.since), after.id];
}

export function toWaiting<T extends Waiting>(row: WaitingRow<T>): T {
  // Sound because only `since` differs.
  return { ...row, since: toDate(row.since) } as unknown as T;
}

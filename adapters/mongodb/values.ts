/**
 * The border between callers and queries. TypeScript's types vanish at run time: what should be text may be an object such
 * as `{ "$gt": "" }`, which MongoDB would take for an operator. Everything that enters a filter passes through here.
 */
import { pieces } from '../../core/bulk.ts';

/** @throws TypeError unless `value` is text. */
export function text(value: string): string {
  if (typeof value !== 'string') throw new TypeError('Text is needed here.');
  return value;
}

export function texts(values: readonly string[]): string[] {
  return values.map(text);
}

/** @throws TypeError unless `value` is an integer that doubles hold exactly. */
export function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError('An integer is needed here.');
  return value;
}

export function integers(values: readonly number[]): number[] {
  return values.map(integer);
}

/**
 * A condition that these numbers meet. Of numbers without large gaps it is a range, which also others may meet: servers read it at
 * once, and look for each number of a list.
 */
export function near(numbers: readonly number[]): { $in: number[] } | { $gte: number; $lte: number } {
  const [low, high] = [Math.min(...integers(numbers)), Math.max(...numbers)];
  return high - low < 2 * numbers.length ? { $gte: low, $lte: high } : { $in: [...numbers] };
}

/**
 * A filter for documents with these values. Of the optional ones, undefined is not asked for.
 * @throws TypeError for anything but text, whole numbers and null
 */
export function equals<Needed extends object, Optional extends object = object>(
  needed: Needed,
  optional?: Optional,
): Needed & Partial<Optional> {
  const given = Object.entries(optional ?? {}).filter(([, value]) => value !== undefined);
  const all = { ...needed, ...Object.fromEntries(given) };
  for (const value of Object.values<unknown>(all)) {
    if (typeof value === 'number') integer(value);
    else if (value !== null) text(value as string);
  }
  return all as Needed & Partial<Optional>;
}

/** @throws RangeError for an invalid date, which would else be stored as 1970; TypeError for anything but a date. */
export function instant(value: Date): Date {
  if (!(value instanceof Date)) throw new TypeError('A Date is needed here.');
  if (!Number.isFinite(value.getTime())) throw new RangeError('An invalid Date cannot be stored.');
  return value;
}

/** A condition for times from one on and before another; undefined if neither is given. */
export function between(from: Date | undefined, to: Date | undefined) {
  return (from ?? to) && { ...(from && { $gte: instant(from) }), ...(to && { $lt: instant(to) }) };
}

/** A document as it is stored; its dates are checked, also those in its members. */
export function checked<T extends object>(document: T): T {
  for (const value of Object.values(document)) {
    if (value instanceof Date) instant(value);
    else if (typeof value === 'object' && value !== null) checked(value);
  }
  return document;
}

/** Pieces of a bulk: few enough documents that neither a message nor an `$in` grows large. */
export const BULK_DOCUMENTS = 1_000;

export const chunks = <T>(items: readonly T[]): Generator<readonly T[]> => pieces(items, BULK_DOCUMENTS);

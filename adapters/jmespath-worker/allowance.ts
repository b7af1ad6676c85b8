/**
 * Counts what a query makes, and ends it at a limit. The limits of its thread's heap are the second line: flags of the whole
 * process, such as `--max-old-space-size`, override them.
 */

import { EvaluationError, isObject, type Value } from './json-value.ts';

/** Elements and members; some 50 MB. */
const MAX_VALUES = 500_000;
const CHARACTERS_PER_VALUE = 16;

/** A query makes more than it may. */
export class AllowanceError extends EvaluationError {
  constructor() {
    super(`it makes more than ${MAX_VALUES} values on its way`);
  }
}

let left = MAX_VALUES;

/** Before each evaluation; a thread runs one at a time. */
export function renewAllowance(): void {
  left = MAX_VALUES;
}

/** Throws an `AllowanceError` if there is no room for so many elements or members. */
export function spend(values: number): void {
  left -= values;
  if (left < 0) throw new AllowanceError();
}

/** Counts the elements of an array that was made. */
export function made<T>(array: T[]): T[] {
  spend(array.length);
  return array;
}

/** Counts a text. */
export function spendText(length: number): void {
  spend(length / CHARACTERS_PER_VALUE);
}

/** The value as JSON. A part that it holds several times is counted and written several times. */
export function jsonText(value: Value): string {
  spendContent(value);
  return JSON.stringify(value);
}

function spendContent(value: Value): void {
  if (typeof value === 'string') spendText(value.length);
  else spend(1);
  if (Array.isArray(value)) {
    for (const element of value) spendContent(element);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      spendText(name.length);
      spendContent(value[name] ?? null);
    }
  }
}

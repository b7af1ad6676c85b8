/** Truth, equality and order of JSON values in queries. */

import { compareNumbers } from './decimal.ts';
import { isNumeric, isObject, type JsonObject, type Value } from './json-value.ts';

/** False, null, and what is empty; the number zero is true. */
export function isFalse(value: Value): boolean {
  if (value === null || value === false || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Numbers are equal when they are the same number, however they are written. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => isEqual(element, b[index] ?? null));
  }
  return isObject(a) && isObject(b) && haveEqualMembers(a, b);
}

function haveEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length || !names.every((name) => Object.hasOwn(b, name))) return false;
  return names.every((name) => isEqual(a[name] ?? null, b[name] ?? null));
}

/** Negative, zero or positive; undefined for other pairs than two numbers or two strings. Strings go by code points, as JMESPath says. */
export function compare(a: Value, b: Value): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b);
  if (typeof a !== 'string' || typeof b !== 'string') return undefined;
  return compareTexts(a, b);
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

function compareTexts(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const [ofA, ofB] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (ofA !== ofB) return rankOf(ofA) - rankOf(ofB);
  }
  return a.length - b.length;
}

/** Surrogates stand for the highest code points, though units above them are higher numbers. */
function rankOf(unit: number): number {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + LAST_SURROGATE : unit;
}

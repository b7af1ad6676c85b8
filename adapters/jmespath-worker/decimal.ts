/** Numbers of JSON compared and added up by their digits: a double would take some that differ for the same. */

import { EvaluationError, type Numeric, numberFrom, sourceOf } from './json-value.ts';

/** `digits * 10^exponent`; the digits without zeros at either end, and none at all for zero. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** `coefficient * 10^exponent`. */
interface Scaled {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Beyond it an exponent is no longer exact as a double. */
const MAX_EXPONENT = 1e15;
/** Places before and behind the point in which sums are exact. */
const MAX_PLACES = 1_000;
/** Places behind the point in which an average may be exact. */
const AVERAGE_PLACES = 40;

function decimalOf(value: Numeric): Decimal {
  const parts = PARTS.exec(sourceOf(value));
  if (parts === null) throw new EvaluationError('a number has no digits');
  const [, sign, whole = '', fraction = '', power = '0'] = parts;
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  const exponent = Number(power) - fraction.length + (digits.length - end);
  if (Math.abs(exponent) > MAX_EXPONENT) throw new EvaluationError('a number has too large an exponent to compare it');
  return { negative: sign === '-', digits: digits.slice(start, end), exponent };
}

/** Negative, zero or positive, as the first number is less than, equal to or greater than the second; exact. */
export function compareNumbers(first: Numeric, second: Numeric): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  const a = decimalOf(first);
  const b = decimalOf(second);
  if (a.digits === '' || b.digits === '' || a.negative !== b.negative) return signOf(a) - signOf(b);
  return signOf(a) * compareMagnitudes(a, b);
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === '') return 0;
  return negative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const places = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (places !== 0) return places;
  // The first digits count alike, so they compare like words.
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

/** The number without its sign. */
export function absolute(value: Numeric): Numeric {
  return typeof value === 'number' ? Math.abs(value) : numberFrom(value.source.replace(/^-/, ''));
}

/** The sum, exact: `0.1` and `0.2` are `0.3`. */
export function sum(values: readonly Numeric[]): Numeric {
  return numberOf(sumOf(values));
}

/** The average: exact where 40 decimal places can hold it, else the nearest double. Null for no numbers. */
export function average(values: readonly Numeric[]): Numeric | null {
  if (values.length === 0) return null;
  const total = sumOf(values);
  const count = BigInt(values.length);
  const scaled = total.coefficient * 10n ** BigInt(AVERAGE_PLACES);
  const quotient = numberOf({ coefficient: scaled / count, exponent: total.exponent - AVERAGE_PLACES });
  if (scaled % count === 0n) return quotient;
  const nearest = Number(sourceOf(quotient));
  if (Math.abs(nearest) > Number.MAX_SAFE_INTEGER) throw new EvaluationError('the average cannot be given exactly');
  return nearest;
}

/** The integer next to a number: the one below (`-1`) or above (`1`) unless it is one. */
export function nextInteger(value: Numeric, direction: -1 | 1): Numeric {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  const { coefficient, exponent } = scaledOf(value);
  if (exponent >= 0) return numberOf({ coefficient, exponent });
  const divisor = 10n ** BigInt(-exponent);
  const beyond = coefficient % divisor !== 0n && coefficient < 0n === direction < 0;
  return numberOf({ coefficient: coefficient / divisor + (beyond ? BigInt(direction) : 0n), exponent: 0 });
}

function scaledOf(value: Numeric): Scaled {
  const { negative, digits, exponent } = decimalOf(value);
  if (exponent < -MAX_PLACES || digits.length + exponent > MAX_PLACES) {
    throw new EvaluationError('a number has too many digits to calculate with it; query the number itself');
  }
  return { coefficient: BigInt(`${negative ? '-' : ''}${digits === '' ? '0' : digits}`), exponent };
}

function sumOf(values: readonly Numeric[]): Scaled {
  let total: Scaled = { coefficient: 0n, exponent: 0 };
  for (const value of values) {
    const addend = scaledOf(value);
    const exponent = Math.min(total.exponent, addend.exponent);
    total = { coefficient: scaleTo(total, exponent) + scaleTo(addend, exponent), exponent };
  }
  return total;
}

function scaleTo({ coefficient, exponent }: Scaled, lower: number): bigint {
  return exponent === lower ? coefficient : coefficient * 10n ** BigInt(exponent - lower);
}

/** Written out in full, without an exponent. */
function numberOf({ coefficient, exponent }: Scaled): Numeric {
  if (exponent >= 0) return numberFrom(String(coefficient * 10n ** BigInt(exponent)));
  const negative = coefficient < 0n;
  const digits = String(negative ? -coefficient : coefficient).padStart(1 - exponent, '0');
  const fraction = withoutTrailingZeros(digits.slice(exponent));
  const text = `${negative ? '-' : ''}${digits.slice(0, exponent)}${fraction === '' ? '' : `.${fraction}`}`;
  return numberFrom(text);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

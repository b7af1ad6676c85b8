/** Numbers of JSON compared and added up by their digits: a double would take some that differ for the same. */

import { EvaluationError, type Numeric, numberFrom, sourceOf } from './json-value.ts';

const PARTS = /^(-?[0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Places before and behind the point that are calculated with. */
const MAX_PLACES = 10_000;
/** Places behind the point in which an average may be exact. */
const AVERAGE_PLACES = 40;

/** Numbers as whole multiples of one power of ten, which is 1 or less. */
interface Aligned {
  readonly coefficients: readonly bigint[];
  readonly exponent: number;
}

function alignedOf(values: readonly Numeric[]): Aligned {
  const parts = values.map((value) => {
    const [, whole = '0', fraction = '', power = '0'] = PARTS.exec(sourceOf(value)) ?? [];
    const exponent = Number(power) - fraction.length;
    if (Math.abs(exponent) + whole.length + fraction.length > MAX_PLACES) {
      throw new EvaluationError('a number has too many digits to calculate with it; query the number itself');
    }
    return { coefficient: BigInt(whole + fraction), exponent };
  });
  const lowest = parts.reduce((least, { exponent }) => Math.min(least, exponent), 0);
  const coefficients = parts.map(({ coefficient, exponent }) => coefficient * 10n ** BigInt(exponent - lowest));
  return { coefficients, exponent: lowest };
}

/** Negative, zero or positive, as the first number is less than, equal to or greater than the second; exact. */
export function compareNumbers(first: Numeric, second: Numeric): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  const [a = 0n, b = 0n] = alignedOf([first, second]).coefficients;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The number without its sign. */
export function absolute(value: Numeric): Numeric {
  return typeof value === 'number' ? Math.abs(value) : numberFrom(value.source.replace(/^-/, ''));
}

/** The sum, exact: `0.1` and `0.2` are `0.3`. */
export function sum(values: readonly Numeric[]): Numeric {
  const { coefficients, exponent } = alignedOf(values);
  return numberOf(totalOf(coefficients), exponent);
}

/** The average: exact where 40 decimal places can hold it, else the nearest double. Null for no numbers. */
export function average(values: readonly Numeric[]): Numeric | null {
  if (values.length === 0) return null;
  const { coefficients, exponent } = alignedOf(values);
  const count = BigInt(values.length);
  const scaled = totalOf(coefficients) * 10n ** BigInt(AVERAGE_PLACES);
  const quotient = numberOf(scaled / count, exponent - AVERAGE_PLACES);
  if (scaled % count === 0n) return quotient;
  const nearest = Number(sourceOf(quotient));
  if (Math.abs(nearest) > Number.MAX_SAFE_INTEGER) throw new EvaluationError('the average cannot be given exactly');
  return nearest;
}

/** The integer next to a number: the one below (`-1`) or above (`1`) unless it is one. */
export function nextInteger(value: Numeric, direction: -1 | 1): Numeric {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  const { coefficients, exponent } = alignedOf([value]);
  const coefficient = totalOf(coefficients);
  const divisor = 10n ** BigInt(-exponent);
  const beyond = coefficient % divisor !== 0n && coefficient < 0n === direction < 0;
  return numberOf(coefficient / divisor + (beyond ? BigInt(direction) : 0n), 0);
}

function totalOf(coefficients: readonly bigint[]): bigint {
  return coefficients.reduce((total, coefficient) => total + coefficient, 0n);
}

/** Written out in full, without an exponent. */
function numberOf(coefficient: bigint, exponent: number): Numeric {
  const isNegative = coefficient < 0n;
  const digits = String(isNegative ? -coefficient : coefficient).padStart(1 - exponent, '0');
  const point = digits.length + exponent;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end -= 1;
  const fraction = digits.slice(point, end);
  return numberFrom(`${isNegative ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`);
}

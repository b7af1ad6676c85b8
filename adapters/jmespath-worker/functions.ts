/** The functions of JMESPath, as its specification has them. */

import { JSON_NUMBER } from '../../core/json-reader.ts';
import { jsonText, made, spend, spendText } from './allowance.ts';
import { compare, isEqual } from './comparison.ts';
import { absolute, average, nextInteger, sum } from './decimal.ts';
import {
  EvaluationError,
  type Expression,
  emptyObject,
  isNumeric,
  isObject,
  type JsonObject,
  kindOf,
  type Numeric,
  numberFrom,
  type Value,
} from './json-value.ts';

/** What a parameter may take, and what the function is then given. */
interface ArgumentTypes {
  readonly any: Value;
  readonly number: Numeric;
  readonly string: string;
  readonly array: Value[];
  readonly object: JsonObject;
  readonly expref: Expression;
  readonly numbers: Numeric[];
  readonly strings: string[];
}

type ArgumentKind = keyof ArgumentTypes;
type Parameters = readonly (readonly ArgumentKind[])[];
type Arguments<P extends Parameters> = { -readonly [I in keyof P]: ArgumentTypes[P[I][number]] };

interface JmespathFunction {
  readonly parameters: Parameters;
  /** Further arguments are like the last parameter. */
  readonly variadic: boolean;
  readonly run: (args: readonly Value[]) => Value;
}

/** `run` gets arguments that have been checked against `parameters`. */
function define<const P extends Parameters>(parameters: P, run: (...args: Arguments<P>) => Value): JmespathFunction {
  return { parameters, variadic: false, run: (args) => run(...(args as Arguments<P>)) };
}

const FUNCTIONS: ReadonlyMap<string, JmespathFunction> = new Map(
  Object.entries({
    abs: define([['number']], absolute),
    avg: define([['numbers']], average),
    ceil: define([['number']], (value) => nextInteger(value, 1)),
    contains: define([['string', 'array'], ['any']], contains),
    ends_with: define([['string'], ['string']], (text, end) => text.endsWith(end)),
    floor: define([['number']], (value) => nextInteger(value, -1)),
    join: define([['string'], ['strings']], join),
    keys: define([['object']], (object) => made(Object.keys(object))),
    length: define([['string', 'array', 'object']], lengthOf),
    map: define([['expref'], ['array']], (expression, array) => made(array.map(expression.evaluate))),
    max: define([['numbers', 'strings']], (values) => best(values, values, 1)),
    max_by: define([['array'], ['expref']], (array, by) => best(array, keysOf(array, by), 1)),
    merge: { parameters: [['object']], variadic: true, run: merge },
    min: define([['numbers', 'strings']], (values) => best(values, values, -1)),
    min_by: define([['array'], ['expref']], (array, by) => best(array, keysOf(array, by), -1)),
    not_null: { parameters: [['any']], variadic: true, run: (args) => args.find((arg) => arg !== null) ?? null },
    reverse: define([['string', 'array']], reverse),
    sort: define([['numbers', 'strings']], (values) => sortBy(values, values)),
    sort_by: define([['array'], ['expref']], (array, by) => sortBy(array, keysOf(array, by))),
    starts_with: define([['string'], ['string']], (text, start) => text.startsWith(start)),
    sum: define([['numbers']], sum),
    to_array: define([['any']], (value) => (Array.isArray(value) ? value : [value])),
    to_number: define([['any']], toNumber),
    to_string: define([['any']], (value) => (typeof value === 'string' ? value : jsonText(value))),
    type: define([['any']], kindOf),
    values: define([['object']], (object) => made(Object.values(object))),
  } satisfies Record<string, JmespathFunction>),
);

/** Calls a function. Throws an `EvaluationError` for an unknown one and for arguments that it does not take. */
export function callFunction(name: string, args: readonly Value[]): Value {
  const called = FUNCTIONS.get(name);
  if (called === undefined) throw new EvaluationError(`there is no function ${name}()`);
  const { parameters, variadic, run } = called;
  if (variadic ? args.length < parameters.length : args.length !== parameters.length) {
    throw new EvaluationError(`${name}() takes ${parameters.length} argument(s), not ${args.length}`);
  }
  for (const [index, arg] of args.entries()) {
    const kinds = parameters[Math.min(index, parameters.length - 1)] ?? [];
    if (!kinds.some((kind) => isOfKind(arg, kind))) {
      const given = Array.isArray(arg) ? 'such an array' : kindOf(arg);
      throw new EvaluationError(`argument ${index + 1} of ${name}() has to be ${kinds.join(' or ')}, not ${given}`);
    }
  }
  return run(args);
}

function isOfKind(value: Value, kind: ArgumentKind): boolean {
  if (kind === 'any') return true;
  if (kind === 'numbers') return Array.isArray(value) && value.every(isNumeric);
  if (kind === 'strings') return Array.isArray(value) && value.every((element) => typeof element === 'string');
  return kindOf(value) === kind;
}

function contains(where: string | Value[], what: Value): boolean {
  if (typeof where === 'string') return typeof what === 'string' && where.includes(what);
  return where.some((element) => isEqual(element, what));
}

function join(separator: string, texts: readonly string[]): string {
  for (const { length } of texts) spendText(length + separator.length);
  return texts.join(separator);
}

function merge(objects: readonly Value[]): Value {
  for (const object of objects) if (isObject(object)) spend(Object.keys(object).length);
  return Object.assign(emptyObject(), ...objects);
}

/** Of a string in code points. */
function lengthOf(value: string | Value[] | JsonObject): number {
  if (typeof value === 'string') return codePointsOf(value).length;
  return isObject(value) ? Object.keys(value).length : (value as Value[]).length;
}

function reverse(value: string | Value[]): Value {
  return typeof value === 'string' ? codePointsOf(value).reverse().join('') : made(value.toReversed());
}

function codePointsOf(text: string): string[] {
  spend(text.length / 4);
  return [...text];
}

function toNumber(value: Value): Value {
  if (isNumeric(value)) return value;
  return typeof value === 'string' && JSON_NUMBER.test(value) ? numberFrom(value) : null;
}

/** What the expression gives for each element: numbers only, or strings only. */
function keysOf(array: readonly Value[], { evaluate }: Expression): (Numeric | string)[] {
  const keys = made(array.map((element) => evaluate(element)));
  if (!isOfKind(keys, 'numbers') && !isOfKind(keys, 'strings')) {
    throw new EvaluationError('the expression has to give a number for every element, or a string for every element');
  }
  return keys as (Numeric | string)[];
}

/** Stable. */
function sortBy(array: readonly Value[], keys: readonly (Numeric | string)[]): Value[] {
  const pairs = array.map((element, index) => ({ element, key: keys[index] ?? null }));
  return made(pairs.sort((a, b) => compare(a.key, b.key) ?? 0).map(({ element }) => element));
}

/** The first element with the largest key (`sign` 1) or the smallest (-1); null for an empty array. */
function best(array: readonly Value[], keys: readonly (Numeric | string)[], sign: 1 | -1): Value {
  let found = 0;
  for (const [index, key] of keys.entries()) {
    if ((compare(key, keys[found] ?? null) ?? 0) * sign > 0) found = index;
  }
  return array[found] ?? null;
}

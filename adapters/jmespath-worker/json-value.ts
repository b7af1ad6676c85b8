/** JSON as queries see it: numbers with their own digits, and values that are hidden. */

/** A number whose digits a double would not give back: `100.0`, `1e3`, an integer beyond 2^53. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): object {
    return JSON.rawJSON(this.source);
  }
}

/** A double stands for the number that `String` writes, and for nothing else. */
export type Numeric = number | JsonNumber;

/** `&a`: not evaluated before a function asks for it. */
export class Expression {
  readonly evaluate: (value: Value) => Value;

  constructor(evaluate: (value: Value) => Value) {
    this.evaluate = evaluate;
  }

  toJSON(): never {
    throw new EvaluationError('an expression reference such as &a is not a value');
  }
}

/** Without a prototype, so that the query `constructor` finds only a member of that name. */
export interface JsonObject {
  [name: string]: Value;
}

export type Value = null | boolean | string | Numeric | Value[] | JsonObject | Expression;

export type Kind = 'null' | 'boolean' | 'string' | 'number' | 'array' | 'object' | 'expref';

/** A query that cannot be evaluated on this document; the message is for the caller and never holds a value. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

/** A query is not JMESPath; the message completes "it failed: ". */
export class QuerySyntaxError extends Error {
  override readonly name = 'QuerySyntaxError';
}

/** A query reached a hidden value, on which its result may now depend. */
export class HiddenValueError extends Error {
  override readonly name = 'HiddenValueError';
}

/** The number that a JSON token says. */
export function numberFrom(source: string): Numeric {
  const value = Number(source);
  return String(value) === source ? value : new JsonNumber(source);
}

/** The digits of a number as JSON. */
export function sourceOf(value: Numeric): string {
  return typeof value === 'number' ? String(value) : value.source;
}

export function isNumeric(value: Value): value is Numeric {
  return typeof value === 'number' || value instanceof JsonNumber;
}

export function isObject(value: Value): value is JsonObject {
  return kindOf(value) === 'object';
}

/** What the function `type` says. */
export function kindOf(value: Value): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (isNumeric(value)) return 'number';
  if (Array.isArray(value)) return 'array';
  return value instanceof Expression ? 'expref' : 'object';
}

/** An object that has no members yet. */
export function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

/**
 * From a JMESPath query to a function over JSON. The library parses; evaluating is done here, because the library's own
 * evaluation takes numbers for doubles and cannot tell what a query has looked at.
 */

import jmespath from 'jmespath';
import { made, renewAllowance, spend } from './allowance.ts';
import { compare, isEqual, isFalse } from './comparison.ts';
import { callFunction } from './functions.ts';
import { EvaluationError, Expression, emptyObject, isObject, QuerySyntaxError, type Value } from './json-value.ts';
import { CURRENT, type Literal, takeLiterals } from './query-literals.ts';
import { checkTokens } from './query-tokens.ts';

export type Evaluation = (value: Value) => Value;

/** A node of the library's syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly children?: readonly unknown[];
}

/**
 * Compiles `query`. Throws when it is not JMESPath, and a `RangeError` when it is nested too deeply. What it returns throws
 * `EvaluationError`, `HiddenValueError` for a query that reads a hidden value, and `AllowanceError` for one that makes too much.
 */
export function compileQuery(query: string): Evaluation {
  const { text, literals } = takeLiterals(query);
  checkTokens(text);
  const evaluate = build(jmespath.compile(text), literals);
  return (value) => {
    renewAllowance();
    return evaluate(value);
  };
}

type Build = (node: SyntaxNode, child: (index: number) => Evaluation, literals: readonly Literal[]) => Evaluation;

const IDENTITY: Evaluation = (value) => value;

const BUILDERS: Readonly<Record<string, Build>> = {
  Identity: () => IDENTITY,
  Literal: ({ value: index }, _child, literals) => {
    const literal = literals[Number(index)] ?? null;
    return literal === CURRENT ? IDENTITY : () => literal;
  },
  Field: ({ name = '' }) => {
    return (value) => (isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null);
  },
  Index: ({ value }) => {
    const index = integer(value);
    return (array) => (Array.isArray(array) ? (array.at(index) ?? null) : null);
  },
  Slice: ({ children = [] }) => {
    const [start = null, stop = null, step = null] = children.map((part) => (part === null ? null : integer(part)));
    if (step === 0) throw new QuerySyntaxError('the step of a slice must not be 0');
    return (value) => (Array.isArray(value) ? slice(value, start, stop, step ?? 1) : null);
  },
  Subexpression: (_node, child) => inTurn(child(0), child(1)),
  IndexExpression: (_node, child) => inTurn(child(0), child(1)),
  Pipe: (_node, child) => inTurn(child(0), child(1)),
  Projection: (_node, child) => project(child(0), (base) => (Array.isArray(base) ? base : null), child(1)),
  ValueProjection: (_node, child) =>
    project(child(0), (base) => (isObject(base) ? made(Object.values(base)) : null), child(1)),
  FilterProjection: (_node, child) => {
    const condition = child(2);
    const matching = (base: Value) =>
      Array.isArray(base) ? made(base.filter((element) => !isFalse(condition(element)))) : null;
    return project(child(0), matching, child(1));
  },
  Flatten: (_node, child) => {
    const base = child(0);
    return (value) => {
      const array = base(value);
      if (!Array.isArray(array)) return null;
      for (const element of array) spend(Array.isArray(element) ? element.length : 1);
      return array.flat();
    };
  },
  Comparator: ({ name = '' }, child) => {
    const [first, second] = [child(0), child(1)];
    return (value) => comparison(name, first(value), second(value));
  },
  OrExpression: (_node, child) => either(child(0), child(1), true),
  AndExpression: (_node, child) => either(child(0), child(1), false),
  NotExpression: (_node, child) => {
    const negated = child(0);
    return (value) => isFalse(negated(value));
  },
  MultiSelectList: ({ children = [] }, child) => {
    const elements = children.map((_, index) => child(index));
    return (value) => (value === null ? null : made(elements.map((element) => element(value))));
  },
  MultiSelectHash: ({ children = [] }, _child, literals) => {
    const members = children.map((pair) => {
      const { name = '', value } = nodeOf(pair);
      return { name, member: build(value, literals) };
    });
    return (value) => {
      if (value === null) return null;
      spend(members.length);
      const object = emptyObject();
      for (const { name, member } of members) object[name] = member(value);
      return object;
    };
  },
  Function: ({ name = '', children = [] }, child) => {
    const args = children.map((_, index) => child(index));
    return (value) =>
      callFunction(
        name,
        args.map((arg) => arg(value)),
      );
  },
  ExpressionReference: (_node, child) => {
    const expression = new Expression(child(0));
    return () => expression;
  },
};

function build(tree: unknown, literals: readonly Literal[]): Evaluation {
  const node = nodeOf(tree);
  const builder = Object.hasOwn(BUILDERS, node.type) ? BUILDERS[node.type] : undefined;
  if (builder === undefined) throw new QuerySyntaxError('it has a part that is not known here');
  return builder(node, (index) => build(node.children?.[index], literals), literals);
}

/** The library's parser lets a query such as `a..b` through; a part of its tree is then missing. */
function nodeOf(tree: unknown): SyntaxNode {
  if (typeof tree !== 'object' || tree === null)
    throw new QuerySyntaxError('a name or a value is missing in it, maybe behind a dot');
  return tree as SyntaxNode;
}

/** The library takes a lone minus sign for an index too, and makes NaN of it. */
function integer(value: unknown): number {
  if (!Number.isInteger(value)) throw new QuerySyntaxError('an index is not an integer');
  return value as number;
}

function inTurn(first: Evaluation, second: Evaluation): Evaluation {
  return (value) => second(first(value));
}

/** The first value, or the second one if the truth of the first is not the one that decides. */
function either(first: Evaluation, second: Evaluation, deciding: boolean): Evaluation {
  return (value) => {
    const result = first(value);
    return isFalse(result) === deciding ? second(value) : result;
  };
}

/** Null when there is nothing to project; elements for which there is null are left out. */
function project(base: Evaluation, elementsOf: (base: Value) => Value[] | null, each: Evaluation): Evaluation {
  return (value) => {
    const elements = elementsOf(base(value));
    if (elements === null) return null;
    return made(elements.map((element) => each(element))).filter((result) => result !== null);
  };
}

function comparison(operator: string, first: Value, second: Value): Value {
  if (operator === 'EQ') return isEqual(first, second);
  if (operator === 'NE') return !isEqual(first, second);
  const order = compare(first, second);
  if (order === undefined) return null;
  const isMet = ORDERS[operator];
  if (isMet === undefined) throw new EvaluationError('the comparison is not known here');
  return isMet(order);
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  LT: (order) => order < 0,
  LTE: (order) => order <= 0,
  GT: (order) => order > 0,
  GTE: (order) => order >= 0,
};

function slice(array: readonly Value[], start: number | null, stop: number | null, step: number): Value[] {
  const { length } = array;
  const [lowest, highest] = step < 0 ? [-1, length - 1] : [0, length];
  const cap = (index: number) => Math.min(Math.max(index < 0 ? index + length : index, lowest), highest);
  const first = start === null ? (step < 0 ? highest : lowest) : cap(start);
  const end = stop === null ? (step < 0 ? lowest : highest) : cap(stop);
  const picked: Value[] = [];
  for (let index = first; step < 0 ? index > end : index < end; index += step) picked.push(array[index] ?? null);
  return made(picked);
}

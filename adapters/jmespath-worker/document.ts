/** Turns JSON text into what queries walk over. */

import { type JsonParts, plainValue, readJsonText } from '../../core/json-reader.ts';
import { HIDDEN_VALUE } from '../../core/ports/query-evaluator.ts';
import { emptyObject, HiddenValueError, numberFrom, type Value } from './json-value.ts';

/** What the reader gives for a hidden value. */
const HIDDEN = Symbol(HIDDEN_VALUE);

const PARTS: JsonParts = {
  object: emptyObject,
  plain: (token) => plainValue(token, numberFrom),
  put(container, key, value) {
    if (value === HIDDEN) Object.defineProperty(container, key, { get: refuse, enumerable: true });
    else (container as Record<string | number, unknown>)[key] = value;
  },
};

const PARTS_OR_HIDDEN: JsonParts = {
  ...PARTS,
  plain: (token) => (token === HIDDEN_VALUE ? HIDDEN : PARTS.plain(token)),
};

/**
 * Parses JSON text in which the bare word `hidden` may stand for a value. Reading such a value, in whatever way, throws a
 * `HiddenValueError`. Its name and its place in an array are known, so `keys` and `length` need not read it.
 * @returns an array with the document as its only element, for the whole document may be hidden too.
 */
export function parseDocument(text: string): readonly [Value] {
  return readJsonText(`[${text}]`, PARTS_OR_HIDDEN) as [Value];
}

/** Parses JSON text in which nothing is hidden. Throws a `SyntaxError`. */
export function parseJson(text: string): Value {
  return readJsonText(text, PARTS) as Value;
}

function refuse(): never {
  throw new HiddenValueError('a hidden value was read');
}

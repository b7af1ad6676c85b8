/** Turns JSON text into what queries walk over. */

import { HIDDEN_VALUE } from '../../core/ports/query-evaluator.ts';
import { HiddenValueError, type JsonObject, numberFrom, type Value } from './json-value.ts';

/** Strings, and what may stand between them in place of a value. */
const STRING_OR_HIDDEN = new RegExp(`"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"|${HIDDEN_VALUE}`, 'g');

/** In place of a hidden value until its object or array is complete. */
const HIDDEN = Symbol(HIDDEN_VALUE);

/**
 * Parses JSON text in which the bare word `hidden` may stand for a value. Reading such a value, in whatever way, throws a
 * `HiddenValueError`. Its name and its place in an array are known, so `keys` and `length` need not read it.
 * @returns an array with the document as its only element, for the whole document may be hidden too.
 */
export function parseDocument(text: string): readonly [Value] {
  // Nobody who wrote the document can have known it.
  const marker = crypto.randomUUID();
  const whole = `[${text}]`;
  if (!text.includes(HIDDEN_VALUE)) return parse(whole, undefined) as unknown as [Value];
  const marked = whole.replace(STRING_OR_HIDDEN, (token) => (token === HIDDEN_VALUE ? `"${marker}"` : token));
  return parse(marked, marker) as unknown as [Value];
}

/** Parses JSON text in which nothing is hidden. Throws a `SyntaxError`. */
export function parseJson(text: string): Value {
  return parse(text, undefined);
}

function parse(text: string, marker: string | undefined): Value {
  return JSON.parse(text, (_name, value: unknown, context) => {
    if (typeof value === 'number') return numberFrom(context.source ?? '');
    if (typeof value === 'string') return value === marker ? HIDDEN : value;
    if (typeof value !== 'object' || value === null) return value;
    if (marker !== undefined) guardHidden(value as Record<string, unknown>);
    return Array.isArray(value) ? value : (Object.setPrototypeOf(value, null) as JsonObject);
  }) as Value;
}

function guardHidden(container: Record<string, unknown>): void {
  for (const name of Object.keys(container)) {
    if (container[name] === HIDDEN) Object.defineProperty(container, name, { get: refuse, enumerable: true });
  }
}

function refuse(): never {
  throw new HiddenValueError('a hidden value was read');
}

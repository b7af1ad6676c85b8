/** The literals of a query, read with their own digits: the library would read their numbers as doubles. */

import { parseJson } from './document.ts';
import { QuerySyntaxError, type Value } from './json-value.ts';

/** `@`: the value at hand, which the library's parser sometimes loses (`(@[0])` is all of `@` to it). Literals it reads well. */
export const CURRENT = Symbol('@');

export type Literal = Value | typeof CURRENT;

/** Quoted names, raw strings, literals, `@`, and a quote that does not end. */
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|["'`@]/g;

/** The query with its literals numbered, and what they say; `@` is one of them. Throws a `QuerySyntaxError`. */
export function takeLiterals(query: string): { readonly text: string; readonly literals: readonly Literal[] } {
  const literals: Literal[] = [];
  const text = query.replace(QUOTED, (token) => {
    if (token === '@') return `\`${literals.push(CURRENT) - 1}\``;
    if (token.length === 1) throw new QuerySyntaxError(`a quote ${token} has no other to end it`);
    if (token.startsWith('"')) return token;
    const inner = token.slice(1, -1);
    literals.push(token.startsWith("'") ? inner.replaceAll("\\'", "'") : readLiteral(inner.replaceAll('\\`', '`')));
    return `\`${literals.length - 1}\``;
  });
  return { text, literals };
}

/** JSON, or what is not JSON as a string without its quotes (as JMESPath used to allow). */
function readLiteral(text: string): Value {
  const trimmed = text.trimStart();
  try {
    return parseJson(trimmed);
  } catch {
    if (/^["[{]/.test(trimmed)) throw new QuerySyntaxError('a literal is not JSON');
  }
  try {
    return parseJson(`"${trimmed}"`);
  } catch {
    throw new QuerySyntaxError('a literal is neither JSON nor a string');
  }
}

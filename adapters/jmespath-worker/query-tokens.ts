/** Refuses what the library's parser lets through although it is not JMESPath: it would get a meaning nobody can look up. */

import jmespath, { type Token } from 'jmespath';
import { QuerySyntaxError } from './json-value.ts';

/** Tokens with which a value ends, and tokens with which one begins. */
const ENDS: ReadonlySet<string> = new Set(
  'UnquotedIdentifier QuotedIdentifier Literal Number Star Flatten Rbracket Rparen Rbrace'.split(' '),
);
const BEGINS: ReadonlySet<string> = new Set(
  'UnquotedIdentifier QuotedIdentifier Literal Number Star Not Expref Lbrace'.split(' '),
);
const CLOSES: ReadonlySet<string> = new Set(['Rbracket', 'Rparen', 'Rbrace']);
const MAX_COLONS = 2;

/** Checks the order of the tokens. Throws a `QuerySyntaxError`. */
export function checkTokens(text: string): void {
  const tokens = jmespath.tokenize(text);
  let colons = 0;
  for (const [index, token] of tokens.entries()) {
    // The library has no token for it.
    if (token === undefined) throw new QuerySyntaxError('a single = compares nothing; write ==');
    const next = tokens[index + 1];
    if (token.type === 'Number' && !/^-?\d+$/.test(text.slice(token.start, next?.start).trim())) {
      throw new QuerySyntaxError('an index is not an integer');
    }
    // Only slices have several between two brackets or commas.
    if (token.type === 'Colon') colons += 1;
    else if (token.type !== 'Number') colons = 0;
    if (colons > MAX_COLONS) throw new QuerySyntaxError('a slice has at most three parts');
    if (next !== undefined) checkPair(token, next);
  }
}

function checkPair({ type, value }: Token, next: Token): void {
  if (ENDS.has(type) && BEGINS.has(next.type)) {
    throw new QuerySyntaxError('there is neither a comma nor an operator between two values');
  }
  if ((ENDS.has(type) || type === 'Dot') && type !== 'UnquotedIdentifier' && next.type === 'Lparen') {
    throw new QuerySyntaxError('a parenthesis follows what is not the name of a function');
  }
  if (type === 'Comma' && CLOSES.has(next.type)) {
    throw new QuerySyntaxError(`nothing follows the ${String(value)} before ${String(next.value)}`);
  }
}

/** What the published types leave out. */

import 'jmespath';

declare module 'jmespath' {
  /** Parses a query; throws when it is malformed. */
  export function compile(query: string): unknown;
  export interface Token {
    readonly type: string;
    readonly value: unknown;
    /** Where it is in the query. */
    readonly start: number;
  }
  /** Undefined for an operator that does not exist. */
  export function tokenize(query: string): (Token | undefined)[];
}

declare global {
  /** In Node since 22: the source text of a primitive for the reviver, and JSON text that is written as it is. */
  interface JSON {
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

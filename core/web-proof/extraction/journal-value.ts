/**
 * How a JSON value appears in the journal. A JSON string is a `string`, and a non-negative integer is a `uint256`. Every other
 * value is its JSON text in a `string`; the kind tells the two strings apart, `"true"` from `true`.
 */

/** The number of a kind is what the notary signs and what the seal carries. */
export const VALUE_KINDS = { string: 1, uint256: 2, json: 3 } as const;

export type ValueKind = keyof typeof VALUE_KINDS;

/** A value as the journal shows it. `text` is the string itself, the decimal digits, or the JSON text. */
export interface JournalValue {
  readonly kind: ValueKind;
  readonly text: string;
}

const NATURAL = /^(?:0|[1-9][0-9]{0,77})$/;

/** The journal value of a JSON number or literal, given as its own text; an integer above 2^256 - 1 stays JSON text. */
export function journalValueOfToken(token: string): JournalValue {
  const isUint256 = NATURAL.test(token) && BigInt(token) >> 256n === 0n;
  return { kind: isUint256 ? 'uint256' : 'json', text: token };
}

/**
 * The journal value of a JSON text that a query gave. `undefined` for null, for nothing, and for a string that is not
 * well-formed Unicode (a lone surrogate has no UTF-8 form).
 */
export function journalValueOfResult(json: string): JournalValue | undefined {
  if (json === 'null' || json === '') return undefined;
  if (!json.startsWith('"')) return journalValueOfToken(json);
  const text: unknown = JSON.parse(json);
  if (typeof text !== 'string' || !text.isWellFormed()) return undefined;
  return { kind: 'string', text };
}

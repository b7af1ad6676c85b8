/** The extraction part of a compress request: its schema, its limits, and the hash by which a contract knows it. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';

const SOURCE = 'response.body';
const FORMAT = 'jmespath';

/** As many values as one proof holds. */
export const MAX_QUERIES = 8;
/** In UTF-16 code units. */
export const MAX_QUERY_LENGTH = 512;

/**
 * The extraction hash packs source, format and query without lengths, so `["a","b"]` and `["aresponse.bodyjmespathb"]`
 * would hash alike. A query without this text leaves one reading only: the text has no prefix that is also its suffix.
 */
const AMBIGUOUS = `${SOURCE}${FORMAT}`;

const querySchema = z
  .string()
  .min(1, 'a query must not be empty')
  .max(MAX_QUERY_LENGTH, `a query has at most ${MAX_QUERY_LENGTH} characters`)
  .refine((query) => query.isWellFormed(), 'a query must be well-formed Unicode')
  .refine((query) => !query.includes(AMBIGUOUS), `a query must not contain "${AMBIGUOUS}"`);

/** Whether `query` may be used: its length, its Unicode, and what would make the extraction hash ambiguous. */
export function isAcceptableQuery(query: string): boolean {
  return querySchema.safeParse(query).success;
}

/** `extraction` of a compress request. Only JMESPath on the response body is supported. */
export const extractionSchema = z.strictObject({
  [SOURCE]: z.strictObject({
    [FORMAT]: z
      .array(querySchema)
      .min(1, 'name at least one query, or leave `extraction` out')
      .max(MAX_QUERIES, `at most ${MAX_QUERIES} queries in one request`),
  }),
});

export type Extraction = z.infer<typeof extractionSchema>;

/** The queries of an extraction in their order; none when it is left out. */
export function queriesOf(extraction: Extraction | undefined): readonly string[] {
  return extraction?.[SOURCE][FORMAT] ?? [];
}

function packed(query: string): string {
  return `${SOURCE}${FORMAT}${query}`;
}

/** keccak-256 of source, format and query of one query: the name under which the notary signs its value. */
export function queryDigest(query: string): Uint8Array {
  return keccak_256(utf8ToBytes(packed(query)));
}

/** The extraction hash of the journal (docs/specification/web-proofs.md#journal): the order of the queries changes it. */
export function extractionHash(queries: readonly string[]): Uint8Array {
  const hash = keccak_256.create();
  for (const query of queries) hash.update(utf8ToBytes(packed(query)));
  return hash.digest();
}

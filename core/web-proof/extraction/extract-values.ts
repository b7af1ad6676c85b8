/** From queries to values: by canonical path where a query is one, by evaluation otherwise. */

import { utf8ToBytes } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { QueryEvaluator, QueryResult } from '../../ports/query-evaluator.ts';
import type { DecodedContent } from '../http/decode-content.ts';
import { type JournalValue, journalValueOfResult } from './journal-value.ts';
import { JSON_LIMITS, type JsonDocument, readJson, UnreadableJsonError } from './read-json.ts';

/**
 * Bytes that the values of one journal have together, in UTF-8. Twice as many as the largest transaction that Ethereum's nodes
 * relay; one answer, queried eight times, could ask for many more.
 */
export const MAX_VALUES_LENGTH = 256 * 1024;

export interface ExtractedValues {
  /** One for each query, in their order. */
  readonly values: readonly JournalValue[];
  /**
   * Queries whose values are not among those that a notary signs with the exchange. They name no scalar by its canonical
   * path, or the body has more scalars than are signed.
   */
  readonly evaluated: readonly string[];
}

/**
 * Extracts the values of `queries` from a body of which parts may be hidden. The queries wait for the turn of `caller`.
 * @throws DomainError `INVALID_REQUEST` for a query that is not JMESPath; `PROOF_GENERATION_FAILED` if the body is not JSON;
 * `PROOF_GENERATION_FAILED` naming the query that reads a hidden value, gives null, nothing or malformed text, fails, or takes too
 * much time or memory; `PROOF_GENERATION_FAILED` for values beyond `MAX_VALUES_LENGTH`; `SERVICE_UNAVAILABLE` as the evaluator
 * says
 */
export async function extractValues(
  evaluator: QueryEvaluator,
  body: DecodedContent | null,
  queries: readonly string[],
  caller?: string,
): Promise<ExtractedValues> {
  if (queries.length === 0) return { values: [], evaluated: [] };
  const { text, wanted, scalars } = readBody(body, queries);
  const others = queries.filter((query) => !wanted.has(query));
  const results = await evaluator.evaluate(text, others, caller);
  const byQuery = new Map(others.map((query, index) => [query, results[index]]));
  const values = queries.map((query) => wanted.get(query) ?? resultValue(query, byQuery.get(query)));
  checkLength(values);
  return { values, evaluated: queries.filter((query) => scalars?.has(query) !== true) };
}

function checkLength(values: readonly JournalValue[]): void {
  const length = values.reduce((sum, { text }) => sum + utf8ToBytes(text).length, 0);
  if (length <= MAX_VALUES_LENGTH) return;
  throw failed(
    `The values have more than ${MAX_VALUES_LENGTH} bytes together. Query smaller values, or use several requests.`,
  );
}

function readBody(body: DecodedContent | null, wanted: readonly string[]): JsonDocument {
  if (body === null)
    throw failed('The body of the response cannot be decoded: its coding is unknown or it is partly hidden.');
  try {
    return readJson(body.bytes, body.hidden, JSON_LIMITS, wanted);
  } catch (error) {
    if (error instanceof UnreadableJsonError) {
      throw failed(`The body of the response cannot be read as JSON: ${error.message}.`);
    }
    throw error;
  }
}

function resultValue(query: string, result: QueryResult | undefined): JournalValue {
  const name = `The query ${JSON.stringify(query)}`;
  if (result === undefined) throw failed(`${name} was not evaluated.`);
  if (!result.ok && result.reason === 'hidden') {
    throw failed(`${name} depends on a hidden value. Query what is visible, or make a proof that shows the value.`);
  }
  if (!result.ok) {
    const message = `${name} failed: ${result.message}.`;
    throw result.reason === 'syntax' ? new DomainError('INVALID_REQUEST', message) : failed(message);
  }
  const value = journalValueOfResult(result.json);
  if (value === undefined && result.json.startsWith('"')) {
    throw failed(`${name} gives a text that is not well-formed Unicode.`);
  }
  if (value === undefined) throw failed(`${name} gives null, or nothing that is there.`);
  return value;
}

function failed(message: string): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message);
}

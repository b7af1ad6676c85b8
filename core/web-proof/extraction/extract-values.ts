/** From queries to values: by canonical path where a query is one, by evaluation otherwise. */

import { DomainError } from '../../errors.ts';
import type { QueryEvaluator, QueryResult } from '../../ports/query-evaluator.ts';
import type { DecodedContent } from '../http/decode-content.ts';
import { type JournalValue, journalValueOfResult } from './journal-value.ts';
import { type JsonDocument, readJson, UnreadableJsonError } from './read-json.ts';

export interface ExtractedValues {
  /** One for each query, in their order. */
  readonly values: readonly JournalValue[];
  /** Queries that name no scalar by its canonical path: what they gave is the outcome of an evaluation. */
  readonly evaluated: readonly string[];
}

/**
 * Extracts the values of `queries` from a body of which parts may be hidden; a hidden value counts as missing. Throws
 * `DomainError`: `INVALID_REQUEST` for a query that is not JMESPath; `PROOF_GENERATION_FAILED` when the body is not JSON, or
 * a query gives null or nothing, fails, or takes too much time or memory. The message names the query.
 */
export async function extractValues(
  evaluator: QueryEvaluator,
  body: DecodedContent | null,
  queries: readonly string[],
): Promise<ExtractedValues> {
  if (queries.length === 0) return { values: [], evaluated: [] };
  const document = readBody(body);
  const evaluated = queries.filter((query) => document.scalars?.has(query) !== true);
  const results = await evaluator.evaluate(document.text, evaluated);
  const byQuery = new Map(evaluated.map((query, index) => [query, results[index]]));
  const values = queries.map((query) => document.scalars?.get(query) ?? resultValue(query, byQuery.get(query)));
  return { values, evaluated };
}

function readBody(body: DecodedContent | null): JsonDocument {
  if (body === null)
    throw failed('The body of the response cannot be decoded: its coding is unknown or it is partly hidden.');
  try {
    return readJson(body.bytes, body.hidden);
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
  if (!result.ok) {
    const message = `${name} failed: ${result.message}.`;
    throw result.reason === 'syntax' ? new DomainError('INVALID_REQUEST', message) : failed(message);
  }
  const value = journalValueOfResult(result.json);
  if (value === undefined) throw failed(`${name} gives null, or nothing that is there and not hidden.`);
  return value;
}

function failed(message: string): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message);
}

/** The thread in which queries run. It has a small heap, no environment, and is ended when it takes too long. */

import { parentPort } from 'node:worker_threads';
import type { QueryResult } from '../../core/ports/query-evaluator.ts';
import { AllowanceError, jsonText } from './allowance.ts';
import { parseDocument } from './document.ts';
import { EvaluationError, HiddenValueError, QuerySyntaxError, type Value } from './json-value.ts';
import { compileQuery, type Evaluation } from './query.ts';

/** What the thread is told to do. It answers with the results. */
export interface QueryTask {
  readonly document: string;
  readonly queries: readonly string[];
}

const MAX_RESULT_LENGTH = 65_536;

function evaluate(document: readonly [Value], query: string): QueryResult {
  let evaluation: Evaluation;
  try {
    evaluation = compileQuery(query);
  } catch (error) {
    return overLimit(error) ?? { ok: false, reason: 'syntax', message: syntaxMessage(error) };
  }
  try {
    const json = jsonText(evaluation(document[0]));
    if (json.length <= MAX_RESULT_LENGTH) return { ok: true, json };
    return { ok: false, reason: 'limit', message: `the result has more than ${MAX_RESULT_LENGTH} characters` };
  } catch (error) {
    if (error instanceof HiddenValueError) {
      return { ok: false, reason: 'hidden', message: 'it depends on a hidden value' };
    }
    const message = error instanceof EvaluationError ? error.message : 'it cannot be evaluated on this document';
    return overLimit(error) ?? { ok: false, reason: 'evaluation', message: message.slice(0, 200) };
  }
}

/** A `RangeError` is what too deep a recursion and too long a string end in. */
function overLimit(error: unknown): QueryResult | undefined {
  if (error instanceof AllowanceError) return { ok: false, reason: 'limit', message: error.message };
  if (!(error instanceof RangeError)) return undefined;
  return { ok: false, reason: 'limit', message: 'it is nested or repeated too much' };
}

/** In our words: the library's are about its own tokens, and it trips over the end of a query that is cut short. */
function syntaxMessage(error: unknown): string {
  if (error instanceof QuerySyntaxError) return error.message.slice(0, 200);
  const { message } = error as Error;
  const [, character, token] = /^Unknown character:(.)|^Invalid token \(\w+\): "(.+)"$/s.exec(message) ?? [];
  if (character !== undefined) return `the character ${character} has no meaning in it`;
  if (token !== undefined) return `${token.slice(0, 100)} is not expected where it stands`;
  return error instanceof TypeError || message.includes('EOF') ? 'it is not a complete query' : 'it is not JMESPath';
}

parentPort?.on('message', (task: QueryTask) => {
  const document = parseDocument(task.document);
  parentPort?.postMessage(task.queries.map((query) => evaluate(document, query)));
});

// The time of a query counts from here: loading can take long on a busy machine.
parentPort?.postMessage('ready');

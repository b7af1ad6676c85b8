/** The thread in which queries run. It has a small heap, no environment, and is ended when it takes too long. */

import { parentPort } from 'node:worker_threads';
import jmespath from 'jmespath';
import type { QueryResult } from '../../core/ports/query-evaluator.ts';
import { parseDocument } from './document.ts';
import { type QueryTask, READY } from './query-messages.ts';

function evaluate(document: unknown, query: string, maxResultLength: number): QueryResult {
  try {
    jmespath.compile(query);
  } catch (error) {
    return failure(error, 'syntax');
  }
  try {
    // Anything but JSON, for example a function that a name of Object.prototype led to, has no text: nothing was found.
    const json = JSON.stringify(jmespath.search(document, query)) ?? 'null';
    if (json.length <= maxResultLength) return { ok: true, json };
    return { ok: false, reason: 'limit', message: `the result has more than ${maxResultLength} characters` };
  } catch (error) {
    return failure(error, 'evaluation');
  }
}

/**
 * A `RangeError` is what too deep a recursion and too long a string end in. A `TypeError` of the language, not of JMESPath,
 * is what the library meets when its parser has let an unfinished query such as `a.` through.
 */
function failure(error: unknown, otherwise: 'syntax' | 'evaluation'): QueryResult {
  if (error instanceof RangeError) return { ok: false, reason: 'limit', message: 'it is nested or repeated too much' };
  if (error instanceof TypeError) return { ok: false, reason: 'syntax', message: 'it is not a complete query' };
  const message = error instanceof Error ? error.message.slice(0, 200) : 'it failed';
  return { ok: false, reason: otherwise, message };
}

parentPort?.on('message', (task: QueryTask) => {
  const document = parseDocument(task.document);
  const results = task.queries.map((query) => evaluate(document, query, task.maxResultLength));
  parentPort?.postMessage({ id: task.id, results });
});

// The time of a query counts from here: loading can take long on a busy machine.
parentPort?.postMessage(READY);

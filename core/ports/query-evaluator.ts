/** Port: evaluates JMESPath queries that a stranger wrote, within limits of time and memory. */

/** In a document, where a JSON value may stand: there is one, which is hidden. Not JSON, so that it is never taken for a value. */
export const HIDDEN_VALUE = 'hidden';

/** What became of one query. */
export type QueryResult =
  /** JSON text; `null` also when the query found nothing. Numbers of the document keep their digits. */
  | { readonly ok: true; readonly json: string }
  /**
   * `syntax`: it is not JMESPath. `hidden`: it read a value that is hidden, so its result may depend on that.
   * `evaluation`: it failed on this document. `limit`: it took too much time or memory.
   */
  | { readonly ok: false; readonly reason: 'syntax' | 'hidden' | 'evaluation' | 'limit'; readonly message: string };

/** Evaluates queries on documents. */
export interface QueryEvaluator {
  /**
   * Evaluates `queries` on `document`, one result each: JSON text in which `HIDDEN_VALUE` may stand for values. The names of
   * an object's members and the length of an array are known even when values in it are hidden. A query that reads such a
   * value gets `hidden`. Numbers are compared and added up exactly, or not at all; an average may be the nearest double. Never
   * takes much longer than its limits, whatever the queries are, and never blocks the caller's thread. A query over the
   * limits costs the ones after it their turn: they get `limit` too. Callers (`caller`) take turns, so that none keeps the others
   * from theirs. Rejects with a `DomainError`: `PROOF_GENERATION_FAILED` when closed, `SERVICE_UNAVAILABLE`, with a time to
   * retry after, when too many calls wait or this one waited too long.
   */
  evaluate(document: string, queries: readonly string[], caller?: string): Promise<readonly QueryResult[]>;

  /** Ends what runs. Idempotent. */
  close(): Promise<void>;
}

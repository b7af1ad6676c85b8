/** Port: evaluates JMESPath queries that a stranger wrote, within limits of time and memory. */

/** What became of one query. */
export type QueryResult =
  /** JSON text; `null` also when the query found nothing. Integers beyond 2^53 keep their digits. */
  | { readonly ok: true; readonly json: string }
  /** `syntax`: it is not JMESPath. `evaluation`: it failed on this document. `limit`: it took too much time or memory. */
  | { readonly ok: false; readonly reason: 'syntax' | 'evaluation' | 'limit'; readonly message: string };

export interface QueryEvaluator {
  /**
   * Evaluates `queries` on `document` (JSON text), one result each. Never takes much longer than its limits, whatever the
   * queries are, and never blocks the caller's thread. A query over the limits costs the ones after it their turn: they
   * get `limit` too. Rejects with a `DomainError` `PROOF_GENERATION_FAILED` when closed.
   */
  evaluate(document: string, queries: readonly string[]): Promise<readonly QueryResult[]>;

  /** Ends what runs. Idempotent. */
  close(): Promise<void>;
}

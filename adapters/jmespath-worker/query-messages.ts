/** What the main thread and the query thread say to each other. */

import type { QueryResult } from '../../core/ports/query-evaluator.ts';

export interface QueryTask {
  readonly id: number;
  readonly document: string;
  readonly queries: readonly string[];
  readonly maxResultLength: number;
}

export interface QueryReply {
  readonly id: number;
  readonly results: readonly QueryResult[];
}

/** The thread's first message: it has loaded. */
export const READY = 'ready';

/**
 * JMESPath in worker threads with a limit on time and memory: the language has no loops, but 170 characters can ask for
 * hundreds of megabytes. What a query makes is counted, and a thread over its limits is ended and replaced.
 */
import { DomainError } from '../../core/errors.ts';
import type { QueryEvaluator, QueryResult } from '../../core/ports/query-evaluator.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { scriptBeside } from '../package-loader/index.ts';
import { ThreadLimitError, ThreadPool } from '../thread-pool/index.ts';
import type { QueryTask } from './query-thread.ts';

const LIMITS = {
  /** Threads that run at the same time, over all callers; one caller does not get them all. */
  threads: 3,
  /** For all queries of one call, from when a thread is ready for them. */
  timeoutMs: 1_000,
  /** Waiting for a thread; what waits longer is refused. */
  maxWaitMs: 10_000,
  /** Heap of a thread. */
  memoryMb: 96,
};
const MAX_WAITING = 256;
const STACK_MB = 2;
const YOUNG_MB = 16;

/** An evaluator with its own threads, started when they are needed. */
export function createJmespathEvaluator(limits: Partial<typeof LIMITS> = {}): QueryEvaluator {
  const { threads: concurrency, timeoutMs, maxWaitMs, memoryMb } = { ...LIMITS, ...limits };
  const queue = new FairQueue({
    name: 'query evaluator',
    concurrency,
    maxQueued: MAX_WAITING,
    maxWaitMs,
  });
  const threads = new ThreadPool<QueryTask, readonly QueryResult[]>({
    // A function, since a CommonJS bundle has no `import.meta.url`: it must load, and runs no queries.
    script: () => scriptBeside(import.meta.url, 'query-thread'),
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: STACK_MB },
    timeoutMs,
    closedError,
  });

  return {
    async evaluate(document, queries, caller) {
      if (queries.length === 0) return [];
      threads.checkOpen();
      try {
        return await queue.run(() => threads.ask({ document, queries }), caller);
      } catch (error) {
        if (!(error instanceof ThreadLimitError)) throw error;
        const message =
          error.limit === 'time' ? `it took more than ${timeoutMs} ms` : `it needed more than ${memoryMb} MB`;
        return queries.map(() => ({ ok: false, reason: 'limit', message }));
      }
    },

    async close() {
      const ended = threads.close();
      queue.refuseWaiting(closedError());
      await ended;
    },
  };
}

function closedError(): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', 'The query evaluator is shut down.');
}

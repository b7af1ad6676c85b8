/**
 * JMESPath in worker threads with a limit on time and memory: the language has no loops, but 170 characters can ask for
 * hundreds of megabytes. What a query makes is counted, and a thread over its limits is ended and replaced.
 */

import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { LONGEST_TIMER_MS } from '../../core/long-timer.ts';
import type { QueryEvaluator, QueryResult } from '../../core/ports/query-evaluator.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { scriptBeside } from '../package-loader/index.ts';
import type { QueryTask } from './query-thread.ts';

/** Checks `JmespathEvaluatorOptions` and fills in the defaults. */
export const jmespathEvaluatorOptionsSchema = z.strictObject({
  /** Threads that run at the same time, over all callers; one caller does not get them all. @default 3 */
  threads: z.int().min(1).max(16).default(3),
  /** For all queries of one call, from when a thread is ready for them. @default 1_000 */
  timeoutMs: z.int().positive().max(LONGEST_TIMER_MS).default(1_000),
  /** Waiting for a thread; what waits longer is refused. @default 10_000 */
  maxWaitMs: z.int().positive().max(LONGEST_TIMER_MS).default(10_000),
  /** Calls that may wait for a thread; more are refused. @default 256 */
  maxWaiting: z.int().nonnegative().default(256),
  /** @default 64 */
  maxWaitingPerCaller: z.int().nonnegative().default(64),
  /** Heap of a thread. @default 96 */
  memoryMb: z.int().min(16).default(96),
  /** Longest result of one query as JSON text. @default 65_536 */
  maxResultLength: z.int().positive().default(65_536),
});

/** What `createJmespathEvaluator` takes: limits of time, memory and waiting. */
export type JmespathEvaluatorOptions = z.input<typeof jmespathEvaluatorOptionsSchema>;

/** A function, since a CommonJS bundle has no `import.meta.url`: it must load, and runs no queries. */
const threadScript = () => scriptBeside(import.meta.url, 'query-thread');
const STACK_MB = 2;
const YOUNG_MB = 16;

/**
 * An evaluator with its own threads, started when they are needed.
 * @throws ZodError that names the option
 */
export function createJmespathEvaluator(options: JmespathEvaluatorOptions = {}): QueryEvaluator {
  const settings = jmespathEvaluatorOptionsSchema.parse(options);
  const { threads: concurrency, maxWaiting, maxWaitingPerCaller, maxWaitMs } = settings;
  const queue = new FairQueue({ name: 'query evaluator', concurrency, maxWaiting, maxWaitingPerCaller, maxWaitMs });
  const idle: Worker[] = [];
  const running = new Set<Worker>();
  let closed = false;

  const start = (): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(threadScript(), {
        // The text of a stranger runs here: nothing of the process's environment or flags.
        env: {},
        execArgv: [],
        resourceLimits: {
          maxOldGenerationSizeMb: settings.memoryMb,
          maxYoungGenerationSizeMb: YOUNG_MB,
          stackSizeMb: STACK_MB,
        },
      });
      running.add(worker);
      const settle = (finish: () => void) => {
        worker.off('message', onReady).off('error', onError).off('exit', onExit);
        running.delete(worker);
        finish();
      };
      const onReady = () => settle(() => resolve(worker));
      const onError = (error: Error) => settle(() => reject(error));
      const onExit = () => settle(() => reject(closedError()));
      worker.on('message', onReady).on('error', onError).on('exit', onExit);
    });

  const runIn = (worker: Worker, task: QueryTask): Promise<readonly QueryResult[]> =>
    new Promise((resolve, reject) => {
      const settle = (finish: () => void, reuse: boolean) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        running.delete(worker);
        if (reuse && !closed) {
          worker.unref();
          idle.push(worker);
        } else {
          // A thread that runs out of memory while it is being ended reports that too.
          worker.on('error', () => undefined);
          void worker.terminate();
        }
        finish();
      };
      const limit = (message: string) => settle(() => resolve(allLimited(task.queries, message)), false);
      const timer = setTimeout(() => limit(`it took more than ${settings.timeoutMs} ms`), settings.timeoutMs);
      const onMessage = (results: readonly QueryResult[]) => settle(() => resolve(results), true);
      const onError = (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') limit(`it needed more than ${settings.memoryMb} MB`);
        else settle(() => reject(error), false);
      };
      const onExit = () => settle(() => reject(closedError()), false);
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      running.add(worker);
      worker.ref();
      worker.postMessage(task);
    });

  return {
    async evaluate(document, queries, caller) {
      if (queries.length === 0) return [];
      if (closed) throw closedError();
      const task: QueryTask = { document, queries, maxResultLength: settings.maxResultLength };
      const run = async () => {
        const worker = closed ? undefined : (idle.pop() ?? (await start()));
        if (worker !== undefined && !closed) return runIn(worker, task);
        await worker?.terminate();
        throw closedError();
      };
      return queue.run(run, caller);
    },

    async close() {
      closed = true;
      queue.refuseWaiting(closedError());
      await Promise.all([...idle.splice(0), ...running].map((worker) => worker.terminate()));
    },
  };
}

function allLimited(queries: readonly string[], message: string): readonly QueryResult[] {
  return queries.map(() => ({ ok: false, reason: 'limit', message }));
}

function closedError(): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', 'The query evaluator is shut down.');
}

/**
 * Computes half of a large claim tree in a thread, while the main thread computes the other half. Nothing depends on it: before it is
 * ready, while it is busy, and if it cannot run, the main thread computes all.
 */
import { Worker } from 'node:worker_threads';
import type { ClaimGroups } from '../../core/ports/claim-groups.ts';
import { scriptBeside } from '../package-loader/index.ts';
import { type GroupsReply, type GroupsTask, packValues, READY } from './messages.ts';

/** Another task waits while one is computed. */
const MOST_TASKS = 2;
const MEMORY_MB = 64;

type Waiting = PromiseWithResolvers<GroupsReply>;

/**
 * A thread that the first large tree starts, and that never keeps the process from ending.
 * @param script what it runs
 */
export function createClaimThread(script = () => scriptBeside(import.meta.url, 'claim-thread')): ClaimGroups {
  let worker: Worker | undefined;
  let state: 'new' | 'starting' | 'ready' | 'broken' = 'new';
  const waiting: Waiting[] = [];

  function start(): void {
    try {
      // Strangers' values are read here: nothing of the process's environment or flags.
      worker = new Worker(script(), {
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      });
    } catch {
      state = 'broken';
      return;
    }
    state = 'starting';
    worker.on('message', (message: GroupsReply | typeof READY) => {
      if (message === READY) {
        state = 'ready';
        return;
      }
      waiting.shift()?.resolve(message);
      if (waiting.length === 0) worker?.unref();
    });
    worker.once('error', giveUp);
    worker.once('exit', giveUp);
    // Behind the listeners: the first one for messages takes hold of the process.
    worker.unref();
  }

  function giveUp(reason: unknown): void {
    state = 'broken';
    for (const { reject } of waiting.splice(0)) reject(reason);
  }

  return {
    hashesOf(seed, first, values) {
      if (state === 'new') start();
      if (state !== 'ready' || waiting.length >= MOST_TASKS) return null;
      const reply = Promise.withResolvers<GroupsReply>();
      waiting.push(reply);
      worker?.ref();
      worker?.postMessage({ seed, first, values: packValues(values) } satisfies GroupsTask);
      return reply.promise;
    },
  };
}

/** One for all instances in a process: each of them makes few large trees. */
export const claimThread = createClaimThread();

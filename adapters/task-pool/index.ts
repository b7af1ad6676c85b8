/** The TaskPool port over p-queue. */
import PQueue from 'p-queue';
import type { TaskPool } from '../../core/ports/task-pool.ts';

/** What `createTaskPool` takes. */
export interface TaskPoolOptions {
  /** How many tasks run at once. */
  readonly concurrency: number;
}

/** Makes a pool that runs a bounded number of tasks at once and lets the others wait in their order. */
export function createTaskPool({ concurrency }: TaskPoolOptions): TaskPool {
  const queue = new PQueue({ concurrency });
  return {
    run: (task, signal) => queue.add(task, signal ? { signal } : {}),
  };
}

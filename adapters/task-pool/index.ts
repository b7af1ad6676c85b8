/** The TaskPool port over p-queue. */
import PQueue from 'p-queue';
import type { TaskPool } from '../../core/ports/task-pool.ts';

export interface TaskPoolOptions {
  /** How many tasks run at once. */
  readonly concurrency: number;
}

export function createTaskPool({ concurrency }: TaskPoolOptions): TaskPool {
  const queue = new PQueue({ concurrency });
  return {
    run: (task, signal) => queue.add(task, signal ? { signal } : {}),
  };
}

/** Runs tasks with bounded concurrency, first come first served. */
export interface TaskPool {
  /** Resolves or rejects as the task does. An aborted signal removes a task that has not begun. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Worker threads that answer tasks: started when they are needed, kept for the next task, ended when they break a limit. */
import { type ResourceLimits, Worker } from 'node:worker_threads';

/** What the threads run, and their limits. */
export interface ThreadPoolOptions {
  /**
   * Posts a first message once it is loaded: the time of a task counts from then, since loading can take long on a busy
   * machine. Afterwards it posts one for each task.
   */
  readonly script: () => URL | string;
  /** Given to every thread. */
  readonly workerData?: unknown;
  /** Of each thread: one that needs more is ended. */
  readonly resourceLimits: ResourceLimits;
  /** For one task. */
  readonly timeoutMs: number;
  /** What the tasks of a closed pool are refused with. */
  readonly closedError: () => Error;
}

/** A thread took too long or too much memory for its task. */
export class ThreadLimitError extends Error {
  override readonly name = 'ThreadLimitError';
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory') {
    super(`A thread was over its limit of ${limit}.`);
    this.limit = limit;
  }
}

/** As many threads as there are tasks at the same time: those who ask bound that. */
export class ThreadPool<Task, Reply> {
  readonly #options: ThreadPoolOptions;
  readonly #idle = new Set<Worker>();
  readonly #all = new Set<Worker>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** @throws what `closedError` makes, once the pool is closed */
  checkOpen(): void {
    if (this.#isClosed) throw this.#options.closedError();
  }

  /** Rejects with a `ThreadLimitError`, with what `closedError` makes, or with what the thread broke by. */
  async ask(task: Task): Promise<Reply> {
    this.checkOpen();
    const [idle] = this.#idle;
    const worker = idle ?? this.#start();
    this.#idle.delete(worker);
    try {
      if (idle === undefined) await this.#next(worker);
      worker.ref();
      worker.postMessage(task);
      const reply = await this.#next(worker, this.#options.timeoutMs);
      worker.unref();
      this.#idle.add(worker);
      return reply;
    } catch (error) {
      void worker.terminate();
      throw error;
    }
  }

  /** Ends every thread; tasks that are under way are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const { script, workerData, resourceLimits } = this.#options;
    // Strangers' data is read here: nothing of the process's environment or flags.
    const worker = new Worker(script(), { workerData, env: {}, execArgv: [], resourceLimits });
    this.#all.add(worker);
    worker.once('exit', () => {
      this.#all.delete(worker);
      this.#idle.delete(worker);
    });
    // One that fails while it is idle or being ended; a task has a listener of its own.
    worker.on('error', () => undefined);
    return worker;
  }

  /** What the thread says next. It cannot be used again if this rejects. */
  #next(worker: Worker, timeoutMs?: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        finish();
      };
      const fail = (error: unknown) => settle(() => reject(error));
      const timer =
        timeoutMs === undefined ? undefined : setTimeout(() => fail(new ThreadLimitError('time')), timeoutMs);
      const onMessage = (reply: Reply) => settle(() => resolve(reply));
      const onError = (error: NodeJS.ErrnoException) =>
        fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadLimitError('memory') : error);
      const onExit = () => fail(this.#options.closedError());
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }
}

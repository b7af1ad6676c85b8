/**
 * Brings the write-ahead log into the database in a thread. SQLite would do it within a commit, where the event loop waits
 * for two flushes and thousands of pages.
 */
import { Worker } from 'node:worker_threads';
import { scriptBeside } from '../package-loader/index.ts';

/**
 * `PASSIVE` copies beside reads and writes. `RESTART` copies the rest while nobody writes, so that the log is written from
 * its beginning again; `TRUNCATE` also empties its file.
 */
export type CheckpointRequest = 'PASSIVE' | 'RESTART' | 'TRUNCATE' | 'close';

export interface CheckpointReply {
  /** False if other processes or the disk prevented it. */
  readonly isDone: boolean;
}

export interface CheckpointerOptions {
  readonly path: string;
  /** Pages that the log holds and the database does not when a checkpoint begins. */
  readonly pages: number;
  /** Pages of the log that are not in the database yet. */
  pending(): number;
  /** The thread cannot run, and is not asked again: SQLite has to make checkpoints itself. */
  onBroken(): void;
}

export interface Checkpointer {
  /**
   * To be called between batches of writes. Starts a checkpoint if one is due, and returns what the next batch has to wait
   * for: the end of one. The promise never rejects.
   */
  due(): Promise<unknown> | null;
  /** Brings everything into the database, flushed, and empties the log. @returns false if that could not be done */
  empty(): Promise<boolean>;
  /** Brings everything into the database. The log keeps its size, and is written from its beginning. @returns false if that could not be done */
  restart(): Promise<boolean>;
  /** To be called after the database was closed, so that the last checkpoint is made by the thread. */
  close(): Promise<void>;
}

// Asked for only with the thread: a bundle may have no URL of its modules.
const threadScript = () => scriptBeside(import.meta.url, 'checkpoint-thread');

/** The thread starts with the first checkpoint. */
export function createCheckpointer({ path, pages, pending, onBroken }: CheckpointerOptions): Checkpointer {
  let thread: Worker | undefined;
  let answer: ((isDone: boolean) => void) | undefined;
  let hasEnded = false;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  let copying: 'no' | 'under way' | 'done' = 'no';
  let dueWith = pages;

  function start(): Worker {
    const started = new Worker(threadScript(), { workerData: path, env: {}, execArgv: [] });
    started.on('message', ({ isDone }: CheckpointReply) => answer?.(isDone));
    // The end of the thread follows.
    started.on('error', () => undefined);
    started.on('exit', () => {
      hasEnded = true;
      if (!isClosed) onBroken();
      answer?.(false);
    });
    return started;
  }

  function ask(mode: CheckpointRequest): Promise<boolean> {
    if (hasEnded || (mode === 'close' && thread === undefined)) return Promise.resolve(false);
    try {
      thread ??= start();
    } catch {
      // In a bundle without URLs of modules.
      hasEnded = true;
      onBroken();
      return Promise.resolve(false);
    }
    const asked = thread;
    return new Promise((resolve) => {
      answer = (isDone) => {
        answer = undefined;
        asked.unref();
        resolve(isDone);
      };
      asked.ref();
      asked.postMessage(mode);
    });
  }

  /** One request at a time. */
  function run(mode: CheckpointRequest): Promise<boolean> {
    const asking = last.then(() => ask(mode));
    last = asking;
    return asking;
  }

  /** Another process, or a full disk, is not asked again at once. */
  function plan(isDone: boolean): void {
    dueWith = isDone ? pages : dueWith + pages;
  }

  async function copy(): Promise<void> {
    copying = 'under way';
    const isDone = await run('PASSIVE');
    copying = isDone ? 'done' : 'no';
    plan(isDone);
  }

  return {
    due() {
      if (hasEnded || copying === 'under way') return null;
      if (copying === 'done') {
        copying = 'no';
        return run('RESTART').then(plan);
      }
      if (pending() >= dueWith) void copy();
      return null;
    },

    empty: () => run('TRUNCATE'),
    restart: () => run('RESTART'),

    async close() {
      isClosed = true;
      await run('close');
    },
  };
}

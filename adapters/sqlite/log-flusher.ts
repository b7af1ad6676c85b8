/**
 * When a commit is on the disk. SQLite in WAL mode with `synchronous = NORMAL` writes a commit to the log without flushing.
 * Here the log is flushed, outside of the event loop's thread, and nobody hears of a commit before. That holds for its
 * writer and, in this process, for readers. While one flush is under way, writes gather for the next commit.
 */
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { notFlushed } from './failures.ts';

/** The write-ahead log of a database. */
export interface LogFile {
  /** Resolves when all that was written before the call is on the disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the log of a database that is itself open, so that the log exists and stays the same file. */
export async function openLogFile(databasePath: string): Promise<LogFile> {
  // SQLite puts it next to the file that a symbolic link leads to.
  const file: FileHandle = await open(`${await realpath(databasePath)}-wal`, 'r+');
  return { flush: () => file.datasync(), close: () => file.close() };
}

export interface LogFlusher {
  /** To be called right after a commit, with no flush under way; resolves once it is on the disk. @throws when it may not be. */
  committed(): Promise<void>;
  /** The flush of what was committed last; null when it is over. */
  underWay(): Promise<void> | null;
  /**
   * True after a flush failed. Its part of the log, and all that follows, may never reach the disk, even if later flushes
   * succeed. Until a checkpoint has written them into the database, nothing may be promised.
   */
  isSuspect(): boolean;
  /** Call it after such a checkpoint. */
  trust(): void;
}

export function createLogFlusher(flush: () => Promise<void>): LogFlusher {
  let running: Promise<void> | null = null;
  let suspect = false;

  async function run(): Promise<void> {
    try {
      await flush();
    } catch (error) {
      suspect = true;
      throw notFlushed(error);
    } finally {
      running = null;
    }
  }

  return {
    committed() {
      running = run();
      return running;
    },
    underWay: () => running,
    isSuspect: () => suspect,
    trust() {
      suspect = false;
    },
  };
}

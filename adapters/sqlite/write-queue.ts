/** Group commit: writes that arrive together share one transaction and one flush. */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { Sql, Work } from '../sql/index.ts';
import { isBusy, isDiskFull, toPortError } from './failures.ts';
import { backoff } from './retries.ts';
import { resultOf } from './statements.ts';

/** A batch ends after this many writes, or this long: the event loop waits meanwhile. */
const BATCH_WRITES = 512;
const BATCH_MS = 10;
/** Turns of the event loop in which more writes may join a batch. */
const JOIN_TURNS = 8;

export interface Handle {
  readonly db: Database.Database;
  readonly sql: Sql;
}

interface PendingWrite {
  /** The end of waiting for another process's lock; of `performance.now()`. */
  readonly deadline: number;
  /** Runs the work in a savepoint, and returns what settles its promise after the commit. */
  run(handle: Handle): () => void;
  fail(error: unknown): void;
}

export class WriteQueue {
  readonly #use: () => Handle;
  readonly #busyTimeoutMs: number;
  readonly #pending: PendingWrite[] = [];
  #draining: Promise<void> | undefined;

  /** @param use gives the handle for the next batch, or throws what fails the pending writes */
  constructor(use: () => Handle, busyTimeoutMs: number) {
    this.#use = use;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Runs `work` in the next transaction; resolves once it is on the disk. A work that throws undoes only itself. */
  add<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (handle: Handle) => {
        const result = inSavepoint(handle, work);
        return () => (result.isDone ? resolve(result.value) : reject(toPortError(result.error)));
      };
      this.#pending.push({ deadline: performance.now() + this.#busyTimeoutMs, run, fail: reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no write is pending. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    for (let refusals = 0; this.#pending.length > 0; ) {
      await this.#gather();
      try {
        this.#commitBatch(this.#use());
        refusals = 0;
      } catch (error) {
        this.#failOverdue(error);
        if (this.#pending.length > 0) await sleep(backoff(refusals++));
      }
    }
    this.#draining = undefined;
  }

  /** Many writes in one transaction take less time than each in its own. */
  async #gather(): Promise<void> {
    // A commit holds the event loop: what was begun with the write, such as a request, is sent before.
    await nextTurn();
    for (let turns = 0, known = 0; turns < JOIN_TURNS && this.#pending.length > known; turns++) {
      known = this.#pending.length;
      await nextTurn();
    }
  }

  /** @throws what prevented the transaction from starting; no write was taken then */
  #commitBatch(handle: Handle): void {
    const { db, sql } = handle;
    sql.run('BEGIN IMMEDIATE');
    const ends = performance.now() + BATCH_MS;
    const taken: PendingWrite[] = [];
    const settle: (() => void)[] = [];
    try {
      do {
        const write = this.#pending.shift();
        if (write === undefined) break;
        taken.push(write);
        settle.push(write.run(handle));
      } while (taken.length < BATCH_WRITES && performance.now() < ends);
      sql.run('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      // The write-ahead log may have taken the space that the database needs.
      if (isDiskFull(error) && emptyLog(sql)) this.#pending.unshift(...taken);
      else for (const write of taken) write.fail(toPortError(error));
      return;
    }
    for (const done of settle) done();
  }

  /** Writes that wait for another process's lock continue to wait; every other error fails all. */
  #failOverdue(error: unknown): void {
    const now = performance.now();
    const isWaiting = ({ deadline }: PendingWrite) => isBusy(error) && deadline > now;
    for (const write of this.#pending.splice(0)) {
      if (isWaiting(write)) this.#pending.push(write);
      else write.fail(toPortError(error));
    }
  }
}

type Result<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false; readonly error: unknown };

/** @throws what undid the whole transaction, such as a full disk */
function inSavepoint<T>({ db, sql }: Handle, work: (sql: Sql) => Work<T>): Result<T> {
  sql.run('SAVEPOINT one_write');
  let result: Result<T>;
  try {
    result = { isDone: true, value: resultOf(work(sql)) };
  } catch (error) {
    if (!db.inTransaction) throw error;
    sql.run('ROLLBACK TO one_write');
    result = { isDone: false, error };
  }
  sql.run('RELEASE one_write');
  return result;
}

/** Copies the write-ahead log into the database and gives its space back. @returns false if the log held nothing, or cannot be copied */
function emptyLog(sql: Sql): boolean {
  try {
    const held = resultOf(sql.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)'))?.log ?? 0;
    return held > 0 && resultOf(sql.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)'))?.busy === 0;
  } catch {
    return false;
  }
}

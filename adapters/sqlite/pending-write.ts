/** A write that waits for its transaction. */
import type Database from 'better-sqlite3';
import { toPortError } from './failures.ts';
import type { Sql } from './statements.ts';

const SAVE_ONE = 'SAVEPOINT one_write';
const UNDO_ONE = 'ROLLBACK TO one_write';
const RELEASE_ONE = 'RELEASE one_write';

export interface PendingWrite {
  /** Until when another process's lock is waited for; of `performance.now()`. */
  readonly deadline: number;
  /** Nobody waits for it: it may wait some milliseconds for others. */
  readonly isPatient: boolean;
  /** Runs the work; returns what settles its promise after the commit. @throws what the work throws. */
  run(sql: Sql): () => void;
  /** As `run`, but when the work fails, undoes what it did: the promise is then rejected, and nothing thrown. */
  runApart(sql: Sql, db: Database.Database): () => void;
  fail(error: unknown): void;
}

export interface PendingWriteParts<T> extends Pick<PendingWrite, 'deadline' | 'isPatient'> {
  readonly work: (sql: Sql) => T;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function createPendingWrite<T>({ work, resolve, reject, ...rest }: PendingWriteParts<T>): PendingWrite {
  const run = (sql: Sql) => {
    const value = work(sql);
    return () => resolve(value);
  };
  return {
    ...rest,
    run,
    runApart(sql, db) {
      sql.run(SAVE_ONE);
      let settle: () => void;
      try {
        settle = run(sql);
      } catch (error) {
        if (!db.inTransaction) throw error;
        sql.run(UNDO_ONE);
        settle = () => reject(toPortError(error));
      }
      sql.run(RELEASE_ONE);
      return settle;
    },
    fail: reject,
  };
}

/** Notices that the write-ahead log was cut short by something else than SQLite: what it held was confirmed, and would be lost. */
import { statSync } from 'node:fs';
import { isBusy } from './failures.ts';
import type { Sql } from './statements.ts';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

export interface LogWatch {
  /** Compares the log's size with the size at the last check. To be called before and after each commit. */
  check(sql: Sql): void;
  /** False from the first check on that found the log cut short. */
  readonly isWhole: boolean;
}

export function createLogWatch(path: string): LogWatch {
  let lastSize = 0;
  let isCut = false;
  return {
    check(sql) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      // A checkpoint of any process may empty the file. Then SQLite's index of the log is empty, too.
      isCut ||= size < lastSize && size < bytesInLog(sql);
      lastSize = size;
    },
    get isWhole() {
      return !isCut;
    },
  };
}

/** How long the log has to be for what SQLite's index says is in it. */
function bytesInLog(sql: Sql): number {
  try {
    const pages = sql.get<{ log: number }>('PRAGMA wal_checkpoint(NOOP)')?.log ?? 0;
    const pageBytes = sql.get<{ page_size: number }>('PRAGMA page_size')?.page_size ?? 0;
    return pages <= 0 ? 0 : LOG_HEADER_BYTES + pages * (FRAME_HEADER_BYTES + pageBytes);
  } catch (error) {
    if (isBusy(error)) return 0;
    throw error;
  }
}

/** The embedded storage: one SQLite file (WAL, flushed before a write is confirmed), for several processes of one machine. */
import { z } from 'zod';
import { checkOptions, refuseMissingPackages } from '../../core/configuration-error.ts';
import type { CopyableStorage } from '../../core/ports/record-store.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { missingPackages } from '../package-loader/index.ts';
import { createSqlStorage } from '../sql/index.ts';
import { Connection } from './database.ts';

/** Checks `SqliteStorageOptions` and fills in the defaults. */
export const sqliteStorageOptions = z.strictObject({
  /** The file, created with its folder when missing; `:memory:` for one that lives as long as the storage is open. */
  path: z.string().trim().min(1),
  /** How long a call waits for another process's lock before it fails with `SERVICE_UNAVAILABLE`. @default 10_000 */
  busyTimeoutMs: z.int().min(0).max(600_000).default(10_000),
  /** Pages of 4 KiB in the write-ahead log with which a commit copies them into the file; 1,000 by default. */
  checkpointPages: z.int().min(1).max(1_000_000).optional(),
});

/** What `createSqliteStorage` takes. Times are in milliseconds. */
export type SqliteStorageOptions = z.input<typeof sqliteStorageOptions>;

/**
 * A `Storage` over one SQLite file. Nothing is touched before `open()`.
 *
 * Bulk inserts are written in pieces of some hundred rows, each its own transaction, so that the event loop continues. A
 * crash in between leaves the first pieces, and repeating the call completes them.
 *
 * @throws ZodError for invalid options. `open()` throws `NOT_SUPPORTED` on a Node.js older than 22, and
 * `SERVICE_UNAVAILABLE` when the file cannot be used, is another application's, or was written by a newer Credence.
 */
export function createSqliteStorage(options: SqliteStorageOptions): CopyableStorage {
  return createSqlStorage(new Connection(sqliteStorageOptions.parse(options)));
}

/**
 * As `createSqliteStorage`: `createCredence({ storage: sqlite({ path: './data/credence.db' }) })`.
 * @throws ConfigurationError naming every unusable option
 */
export function sqlite(options: SqliteStorageOptions): Storage {
  refuseMissingPackages(missingPackages([{ field: 'sqlite', neededBy: 'SQLite', packages: ['better-sqlite3'] }]));
  return createSqliteStorage(checkOptions('sqlite', sqliteStorageOptions, options));
}

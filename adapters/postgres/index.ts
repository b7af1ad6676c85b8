/**
 * The storage in PostgreSQL 14 or newer: a schema of its own, for any number of processes. It keeps nothing in sessions, so
 * PgBouncer may stand before it in transaction mode.
 */
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import type { CopyableStorage } from '../../core/ports/record-store.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createSqlStorage } from '../sql/index.ts';
import { PostgresDatabase } from './database.ts';
import type { PostgresPool } from './pool.ts';
import { postgresUrl } from './url.ts';

export type { PostgresAnswer, PostgresClient, PostgresPool } from './pool.ts';

/** Checks `PostgresStorageOptions` and fills in the defaults. */
export const postgresStorageOptions = z
  .strictObject({
    /** `postgres://…` or `postgresql://…`. Its own settings (`sslmode`, `sslrootcert` …) hold. */
    url: postgresUrl.optional(),
    /** Instead of `url`: the `pg.Pool` of your application. It is never closed here. Work of other processes is found by polling. */
    pool: z.custom<PostgresPool>(isPool, 'must be a Pool of the package pg').optional(),
    /** The schema that has the tables; made when missing. @default 'credence' */
    schema: z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'small letters, digits and _')
      .default('credence'),
    /** `'never'`: `start()` makes nothing and says what is missing; run `credence migrate`. */
    migrate: z.literal('never').optional(),
    /** Connections of this process to `url`, besides one that listens for work. @default 20 */
    maxPoolSize: z.int().min(1).max(1_000).optional(),
    /** For connecting to `url`, and for waiting for a free connection. @default 10_000 */
    connectTimeoutMs: z.int().min(100).max(600_000).optional(),
    /** For one statement. @default 60_000 */
    statementTimeoutMs: z.int().min(1_000).max(3_600_000).default(60_000),
  })
  .superRefine(({ url, pool, maxPoolSize, connectTimeoutMs }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if ((url === undefined) === (pool === undefined)) refuse('give either url or pool');
    if (pool !== undefined && (maxPoolSize ?? connectTimeoutMs) !== undefined)
      refuse('maxPoolSize and connectTimeoutMs belong to url: a pool has its own');
  });

/** What `createPostgresStorage` takes. Times are in milliseconds. */
export type PostgresStorageOptions = z.input<typeof postgresStorageOptions>;

function isPool(given: unknown): boolean {
  const { connect, query } = (given ?? {}) as { readonly connect?: unknown; readonly query?: unknown };
  return typeof connect === 'function' && typeof query === 'function';
}

/**
 * A `Storage` over one schema of a PostgreSQL database. Nothing is touched before `open()`, which makes the schema.
 *
 * @throws ZodError for invalid options. `open()` throws `SERVICE_UNAVAILABLE` when the server cannot be reached, when the schema is
 * another application's or of a newer Credence, or cannot be made.
 */
export function createPostgresStorage(options: PostgresStorageOptions): CopyableStorage {
  return createSqlStorage(new PostgresDatabase(postgresStorageOptions.parse(options)));
}

/**
 * As `createPostgresStorage`: `createCredence({ storage: postgres({ pool }) })`.
 * @throws ConfigurationError naming every unusable option
 */
export function postgres(options: PostgresStorageOptions): Storage {
  return createPostgresStorage(checkOptions('postgres', postgresStorageOptions, options));
}

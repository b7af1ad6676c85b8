/** What is used of the package pg, so that its types are needed by nobody else. */
import { importFailure } from '../package-loader/index.ts';

/** A statement, its values, and how the columns of its rows are read. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: unknown[];
  readonly types?: { getTypeParser(oid: number): (text: string) => unknown };
  /** Milliseconds. */
  readonly query_timeout?: number;
}

/** What a server answers. */
export interface PostgresAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: as pg has it; the statement says what its rows are
  readonly rows: any[];
  readonly rowCount: number | null;
  readonly command: string;
}

/** A connection that is taken from a pool. */
export interface PostgresClient {
  /** Runs a statement on this connection. */
  query(query: PostgresQuery): Promise<PostgresAnswer>;
  /** Gives it back to its pool, or closes it. */
  release(destroy?: boolean): void;
  /** Listens for a connection that is cut. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Listens no longer. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** A `pg.Pool`. */
export interface PostgresPool {
  /** Takes a connection, which has to be released. */
  connect(): Promise<PostgresClient>;
  /** Runs a statement on any connection. */
  query(query: PostgresQuery): Promise<PostgresAnswer>;
  /** Listens for a connection that is cut while nobody uses it. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Listens no longer. */
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool that is made here, and ended here. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

/** @throws MissingPackageError without the package pg */
export async function createPool(url: string, maxPoolSize = 20, connectTimeoutMs = 10_000): Promise<OwnPool> {
  const { default: pg } = await loadDriver();
  const pool = new pg.Pool({
    application_name: 'credence',
    connectionString: url,
    max: maxPoolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // One that is cut as it opens has no listener yet, and the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A connection of its own, not opened. @throws MissingPackageError without the package pg */
export async function createListener(connectionString: string) {
  const { default: pg } = await loadDriver();
  // One that a firewall has dropped is noticed.
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };
  return new pg.Client({
    application_name: 'credence',
    connectionString,
    connectionTimeoutMillis: 10_000,
    ...keepAlive,
  });
}

async function loadDriver() {
  try {
    return await import('pg');
  } catch (error) {
    throw importFailure(error, 'pg', 'PostgreSQL');
  }
}

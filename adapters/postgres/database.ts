/** One schema of a PostgreSQL database, over a pool of connections. */
import { remembered } from '../../core/keep-newest.ts';
import { late } from '../../core/late.ts';
import { storageNotOpen, type Watch } from '../../core/ports/storage.ts';
import { repeated } from '../../core/repeated.ts';
import type { Sql, SqlDatabase, Value, Work } from '../sql/index.ts';
import { isClash, toPortError, unavailable } from './failures.ts';
import { missingIn, prepareSchema } from './migrate.ts';
import { createPool, type OwnPool, type PostgresAnswer, type PostgresClient, type PostgresPool } from './pool.ts';
import { inPostgres, plain, types } from './statements.ts';
import { WakeUps } from './wake-ups.ts';

export interface PostgresOptions {
  readonly url?: string | undefined;
  readonly pool?: PostgresPool | undefined;
  readonly schema: string;
  readonly migrate?: 'never' | undefined;
  readonly maxPoolSize?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly statementTimeoutMs: number;
}

/** How often a transaction that met another one is tried in all. */
const TRIES = 8;
const PAUSE_MS = 2;
/** How long a process that stands still within a transaction keeps its rows from the others. */
const STANDSTILL_MS = 10_000;

export class PostgresDatabase implements SqlDatabase {
  readonly #options: PostgresOptions;
  /** Begins a transaction: each statement sees what is committed when it begins, whatever is the default of the role. */
  readonly #begin: string;
  readonly #translated = remembered((text: string) => inPostgres(text, this.#options.schema), Number.POSITIVE_INFINITY);
  #pool: PostgresPool | undefined;
  #own: OwnPool | undefined;
  #wakeUps: WakeUps | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    const ms = options.statementTimeoutMs;
    this.#begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = ${ms}; SET LOCAL idle_in_transaction_session_timeout = ${Math.min(ms, STANDSTILL_MS)}`;
  }

  readonly open = late(() =>
    this.#open().catch((error: unknown) => {
      throw toPortError(error);
    }),
  );

  async #open(): Promise<void> {
    const [pool, own] = await this.#connect();
    try {
      if (this.#options.migrate === 'never') refuseMissing(this.#options.schema, await this.#missingOver(pool));
      else await withClient(pool, (client) => prepareSchema(client, this.#options.schema));
    } catch (error) {
      await own?.end();
      throw error;
    }
    // The host's own pool may have no listener, and the process would end.
    pool.on?.('error', replaced);
    this.#own = own;
    this.#pool = pool;
    const { schema, statementTimeoutMs: query_timeout } = this.#options;
    this.#wakeUps = new WakeUps(schema, (...values) =>
      pool.query({ text: 'SELECT pg_notify($1, $2)', values, query_timeout }),
    );
  }

  /** The pool of the host, or one that is ended here. */
  async #connect(): Promise<readonly [PostgresPool, own?: OwnPool]> {
    const { pool, url = '', maxPoolSize, connectTimeoutMs } = this.#options;
    if (pool !== undefined) return [pool];
    const own = await createPool(url, maxPoolSize, connectTimeoutMs);
    return [own, own];
  }

  #missingOver(pool: PostgresPool): Promise<readonly string[]> {
    return withClient(pool, (client) => missingIn(client, this.#options.schema));
  }

  async missing(): Promise<readonly string[]> {
    const [pool, own] = await this.#connect();
    try {
      const statements = await this.#missingOver(pool);
      // The schema that is looked for first is set for one transaction.
      return statements.length === 0 ? [] : ['BEGIN', ...statements, 'COMMIT'];
    } catch (error) {
      throw toPortError(error);
    } finally {
      await own?.end();
    }
  }

  read<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    return this.#untilAlone((pool) => finished(work(this.#sql(pool))));
  }

  statement<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    return this.read(work);
  }

  write<T>(work: (sql: Sql) => Work<T>): Promise<T> {
    return this.#untilAlone((pool, isRepeated) =>
      withClient(pool, (client) => this.#transaction(client, work, isRepeated)),
    );
  }

  /** Repeats what met another transaction. */
  async #untilAlone<T>(work: (pool: PostgresPool, isRepeated: boolean) => Promise<T>): Promise<T> {
    const pool = this.#opened();
    try {
      return await repeated((isRepeated) => work(pool, isRepeated), isClash, TRIES, PAUSE_MS);
    } catch (error) {
      throw toPortError(error);
    }
  }

  async #transaction<T>(client: PostgresClient, work: (sql: Sql) => Work<T>, isRepeated: boolean): Promise<T> {
    // A server that has fallen silent does not say so.
    const query_timeout = this.#options.statementTimeoutMs;
    const sql = this.#sql(client);
    await client.query({ text: this.#begin, query_timeout });
    // One at a time, or those that met would meet again, and PostgreSQL takes a second to notice each deadlock.
    if (isRepeated) await finished(sql.oneAtATime('repeated'));
    const result = await finished(work(sql));
    const { command } = await client.query({ text: 'COMMIT', query_timeout });
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${command}.`);
    return result;
  }

  #sql(client: Pick<PostgresPool, 'query'>): Sql {
    const { schema, statementTimeoutMs: query_timeout } = this.#options;
    const translated = this.#translated;
    const ask = function* (text: string, values: readonly Value[]): Work<PostgresAnswer> {
      const query = { text: translated(text), values: plain(values), types, query_timeout };
      return (yield client.query(query)) as PostgresAnswer;
    };
    return {
      *get(text, ...values) {
        return (yield* ask(text, values)).rows[0];
      },
      *all(text, ...values) {
        return (yield* ask(text, values)).rows;
      },
      *run(text, ...values) {
        return (yield* ask(text, values)).rowCount ?? 0;
      },
      idTaken: (table, column, id) =>
        ask('SELECT setval(pg_get_serial_sequence(?, ?), CAST(? AS BIGINT))', [`"${schema}".${table}`, column, id]),
      oneAtATime: (name) => ask('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`credence ${schema} ${name}`]),
    };
  }

  tell(work: readonly string[]): void {
    this.#wakeUps?.tell(work);
  }

  /** A pool of the host lends no connection for so long. */
  readonly watch: Watch = (...woken) => {
    const { url } = this.#options;
    if (url !== undefined) void this.#wakeUps?.listen(url, ...woken);
  };

  async check(): Promise<void> {
    await this.read((sql) => sql.get('SELECT 1'));
  }

  async close(): Promise<void> {
    await this.open.ifMade()?.catch(() => undefined);
    await this.#wakeUps?.close();
    const own = this.#own;
    if (own === undefined) this.#pool?.removeListener?.('error', replaced);
    this.#own = undefined;
    this.#pool = undefined;
    this.open.forget();
    await own?.end();
  }

  #opened(): PostgresPool {
    if (this.#pool === undefined) throw storageNotOpen('PostgreSQL');
    return this.#pool;
  }
}

/** @throws DomainError `SERVICE_UNAVAILABLE` if something is missing */
function refuseMissing(schema: string, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const made = missing.find((statement) => /^(?:CREATE TABLE|CREATE \w* ?INDEX|ALTER)/.test(statement)) ?? '';
  throw unavailable(
    `The PostgreSQL schema "${schema}" lacks what this Credence needs (${made.split('\n', 1)[0]} …), and \`migrate\` is 'never'. ` +
      'Run `credence migrate` as a user who may create it.',
  );
}

/** Of a connection that is cut: what is asked on it fails by itself, and the next that is needed replaces it. */
const replaced = () => undefined;

/** Lends a connection. One on which something went wrong goes back without its transaction, or is closed. */
async function withClient<T>(pool: PostgresPool, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  client.on('error', replaced);
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    await client.query({ text: 'ROLLBACK', query_timeout: 1_000 }).catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.removeListener('error', replaced);
    client.release(isBroken);
  }
}

/** Takes the steps to their end, and waits for each answer. */
async function finished<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]();
  let step = steps.next(undefined);
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

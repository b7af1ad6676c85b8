/**
 * The PostgreSQL server that all test files of a run share; each test works in databases of its own.
 *
 * If this machine has no PostgreSQL (Debian's package `postgresql`) the suites that need it are skipped, and say so. With
 * `CREDENCE_REQUIRE_POSTGRES=1` they fail.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { askDoor } from './door.ts';
import type { StartedPostgres } from './postgres-of-run.ts';

export type PostgresServer =
  | {
      readonly available: true;
      /** Makes a database without rows; returns its URL. Making all tables takes several times as long as copying them. */
      readonly createDatabase: (content: 'tables' | 'nothing') => Promise<string>;
    }
  | { readonly available: false; readonly reason: string };

/** The database that others are copied from. */
export const WITH_TABLES = 'with_tables';

let asking: Promise<PostgresServer> | undefined;

/** The server of this run. @throws Error if there is none and `CREDENCE_REQUIRE_POSTGRES=1`. */
export function postgresServer(): Promise<PostgresServer> {
  asking ??= ask();
  return asking;
}

async function ask(): Promise<PostgresServer> {
  const started = await askDoor<StartedPostgres>(inject('postgresDoor'), 'No PostgreSQL server can be started');
  if ('reason' in started) {
    if (process.env.CREDENCE_REQUIRE_POSTGRES === '1') {
      throw new Error(`CREDENCE_REQUIRE_POSTGRES=1, but no PostgreSQL server can be started: ${started.reason}`);
    }
    return { available: false, reason: started.reason };
  }
  const { url } = started;
  return {
    available: true,
    async createDatabase(content) {
      const name = `t_${randomUUID().replaceAll('-', '')}`;
      await inDatabase(url, `CREATE DATABASE ${name} TEMPLATE ${content === 'tables' ? WITH_TABLES : 'template1'}`);
      return new URL(name, url).href;
    },
  };
}

/** Asks the database past every adapter. */
export async function inDatabase(url: string, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * The PostgreSQL server that all test files of a run share; each test works in databases of its own.
 *
 * If this machine has no PostgreSQL (Debian's package `postgresql`) the suites that need it are skipped, and say so. With
 * `CREDENCE_REQUIRE_POSTGRES=1` they fail.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { sharedServer } from './door.ts';

/** The database that others are copied from. */
export const WITH_TABLES = 'with_tables';

export const postgresServer = sharedServer('postgres', 'PostgreSQL', (url) => ({
  /** Makes a database without rows; returns its URL. Making all tables takes several times as long as copying them. */
  async createDatabase(content: 'tables' | 'nothing'): Promise<string> {
    const name = `t_${randomUUID().replaceAll('-', '')}`;
    await inDatabase(url, `CREATE DATABASE ${name} TEMPLATE ${content === 'tables' ? WITH_TABLES : 'template1'}`);
    return new URL(name, url).href;
  },
}));

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

import { SCHEMA_VERSION } from '../sql/index.ts';
import { unavailable } from './failures.ts';
import type { PostgresClient } from './pool.ts';
import { POSTGRES_SCHEMA, types } from './statements.ts';

/**
 * Makes the tables in a schema without any, in one transaction that other processes wait for. A schema that has them stays as it
 * is, and no right to create is needed.
 * @throws DomainError `SERVICE_UNAVAILABLE` if they are of another version, or another application's
 */
export async function prepareSchema(client: PostgresClient, schema: string): Promise<void> {
  if (await isPrepared(client, schema)) return;
  await client.query({ text: 'BEGIN' });
  await client.query({ text: `SELECT pg_advisory_xact_lock(hashtextextended('credence schema ${schema}', 0))` });
  if (!(await isPrepared(client, schema))) {
    await refuseForeign(client, schema);
    const make = `CREATE SCHEMA IF NOT EXISTS "${schema}"; SET LOCAL search_path TO "${schema}"; ${POSTGRES_SCHEMA}`;
    await client.query({ text: `${make} INSERT INTO schema_version VALUES (${SCHEMA_VERSION})` });
  }
  await client.query({ text: 'COMMIT' });
}

async function isPrepared(client: PostgresClient, schema: string): Promise<boolean> {
  const table = `"${schema}".schema_version`;
  const { rows: found } = await client.query({ text: 'SELECT to_regclass($1) AS stamp', values: [table] });
  if (found[0]?.stamp === null) return false;
  const { rows } = await client.query({ text: `SELECT version FROM ${table}`, types });
  const version = rows[0]?.version;
  if (version === SCHEMA_VERSION) return true;
  throw unavailable(
    `The PostgreSQL schema "${schema}" has version ${version}, this Credence uses version ${SCHEMA_VERSION}. Use the release that ` +
      'made it: run it, or copy the data with its `credence copy`. To begin without the data, name another schema.',
  );
}

async function refuseForeign(client: PostgresClient, schema: string): Promise<void> {
  const text = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename LIMIT 1';
  const { rows } = await client.query({ text, values: [schema] });
  const [table] = rows;
  if (table === undefined) return;
  throw unavailable(
    `The PostgreSQL schema "${schema}" holds the table "${table.name}" and was not made by a release of Credence. Name another schema.`,
  );
}

import { additions, SCHEMA_VERSION } from '../sql/index.ts';
import { unavailable } from './failures.ts';
import type { PostgresClient } from './pool.ts';
import { NEW_SCHEMA, POSTGRES_SCHEMA, types } from './statements.ts';

/**
 * Makes what the schema lacks, in one transaction that other processes wait for. If it lacks nothing, no right to create is
 * needed.
 * @throws DomainError `SERVICE_UNAVAILABLE` if the tables are of another version, or another application's
 */
export async function prepareSchema(client: PostgresClient, schema: string): Promise<void> {
  if ((await missingIn(client, schema)).length === 0) return;
  await client.query({ text: 'BEGIN' });
  await client.query({ text: `SELECT pg_advisory_xact_lock(hashtextextended('credence schema ${schema}', 0))` });
  for (const text of await missingIn(client, schema)) await client.query({ text });
  await client.query({ text: 'COMMIT' });
}

/** The statements that make it, for one transaction. */
export async function missingIn(client: PostgresClient, schema: string): Promise<readonly string[]> {
  const isNew = await isNewSchema(client, schema);
  const columns = await client.query({ text: COLUMNS, values: [schema] });
  const indexes = await client.query({ text: INDEXES, values: [schema] });
  const added = additions(POSTGRES_SCHEMA, columns.rows, indexes.rows);
  const last = isNew ? [...NEW_SCHEMA, `INSERT INTO schema_version VALUES (${SCHEMA_VERSION})`] : [];
  if (added.length + last.length === 0) return [];
  return [`CREATE SCHEMA IF NOT EXISTS "${schema}"`, `SET LOCAL search_path TO "${schema}"`, ...added, ...last].slice(
    isNew ? 0 : 1,
  );
}

const COLUMNS = `SELECT c.relname AS "table", a.attname AS "column" FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE n.nspname = $1 AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`;
const INDEXES = 'SELECT indexname AS name FROM pg_indexes WHERE schemaname = $1';

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

async function isNewSchema(client: PostgresClient, schema: string): Promise<boolean> {
  if (await isPrepared(client, schema)) return false;
  const text = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename LIMIT 1';
  const { rows } = await client.query({ text, values: [schema] });
  const [table] = rows;
  if (table === undefined) return true;
  // Another process may have made them since the first look, all in one transaction.
  if (await isPrepared(client, schema)) return false;
  throw unavailable(
    `The PostgreSQL schema "${schema}" holds the table "${table.name}" and was not made by a release of Credence. Name another schema.`,
  );
}

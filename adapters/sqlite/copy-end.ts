/** A SQLite file as one end of a copy of a whole store. */
import type { CopiedKind, CopyEnd, CopyProgress, CopyRecord } from '../../core/ports/copy-end.ts';
import { Connection, type Sql } from './database.ts';
import { fromColumn, type Row, type Table, toValue } from './table.ts';
import * as tables from './tables.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** The tables, with their keys if they are not the id. A key of one column is the `_id` of the record. */
export const COPIED: Readonly<Record<CopiedKind, { readonly table: Table<object>; readonly key?: readonly string[] }>> =
  {
    creators: { table: tables.CREATORS },
    socialAccounts: { table: tables.ACCOUNTS },
    brands: { table: tables.BRANDS },
    campaigns: { table: tables.CAMPAIGNS },
    attempts: { table: tables.ATTEMPTS },
    comments: { table: tables.COMMENTS },
    sweeps: { table: tables.SWEEPS, key: ['challenge_id'] },
    metrics: { table: tables.METRICS, key: ['seq'] },
    likersFetches: { table: tables.LIKERS_FETCHES },
    likers: { table: tables.LIKERS },
    webhooks: { table: tables.WEBHOOKS },
    deliveries: { table: tables.DELIVERIES },
    subscriptions: { table: tables.SUBSCRIPTIONS, key: ['subscriber', 'event'] },
    jobs: { table: tables.JOBS },
    tokens: { table: tables.TOKENS },
    usage: { table: tables.USAGE, key: ['caller_key', 'period', 'counter'] },
    connectionRequests: { table: tables.CONNECTION_REQUESTS },
    onceKeys: { table: tables.ONCE_KEYS, key: ['key'] },
    idempotencyKeys: { table: tables.IDEMPOTENCY_KEYS, key: ['key'] },
    auditLog: { table: tables.AUDIT_LOG },
    canaries: { table: tables.CANARIES, key: ['target'] },
    purges: { table: tables.PURGES, key: ['kind', 'target'] },
  };

/** Tables whose rows are parts of the records of others. */
export const PARTS: readonly Table<object>[] = [tables.CHALLENGES, tables.OUTBOX];
const OUTBOX_OWNERS: readonly CopiedKind[] = ['attempts', 'socialAccounts', 'canaries'];

const PROGRESS = 'CREATE TABLE IF NOT EXISTS copy_progress (id INTEGER PRIMARY KEY, progress TEXT NOT NULL) STRICT';

/** `open` makes a file that is missing, and throws as `createSqliteStorage` says. */
export function createSqliteCopyEnd({ path }: { readonly path: string }): CopyEnd {
  const connection = new Connection({ path, busyTimeoutMs: BUSY_TIMEOUT_MS });
  return {
    open: () => connection.open(),
    close: () => connection.close(),

    read: (kind, after, limit) =>
      connection.read((sql) => {
        const { table, key = ['id'] } = COPIED[kind];
        const keys = key.join(', ');
        const behind = after === null ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
        const rows = sql.all<Row>(
          `SELECT * FROM ${table.name} ${behind} ORDER BY ${keys} LIMIT ?`,
          ...(after ?? []),
          limit,
        );
        const last = rows.at(-1);
        return {
          records: rows.map((row) => toRecord(sql, kind, row)),
          last: last === undefined ? null : key.map((column) => last[column] as string | number),
        };
      }),

    // Records and progress are one transaction: what is there was not written before.
    write: (kind, records, progress) =>
      connection.write((sql) => {
        for (const record of records) insert(sql, kind, record);
        sql.run(PROGRESS);
        sql.run('INSERT OR REPLACE INTO copy_progress VALUES (1, ?)', JSON.stringify(progress));
      }),

    progress: () =>
      connection.read((sql) => {
        if (sql.get("SELECT 1 FROM sqlite_schema WHERE name = 'copy_progress'") === undefined) return null;
        const row = sql.get<{ readonly progress: string }>('SELECT progress FROM copy_progress');
        return row === undefined ? null : (JSON.parse(row.progress) as CopyProgress);
      }),

    sequences: () =>
      connection.read((sql) => {
        const rows = sql.all<{ readonly name: string; readonly seq: number }>('SELECT name, seq FROM sqlite_sequence');
        const known = new Map(rows.map(({ name, seq }) => [name, seq]));
        return Object.fromEntries(NUMBERED.flatMap(([kind, name]) => [[kind, known.get(name) ?? 0]]));
      }),

    finish: (sequences) =>
      connection.write((sql) => {
        for (const [kind, name] of NUMBERED) {
          const seq = sequences[kind] ?? 0;
          if (sql.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', seq, name).changes === 0)
            sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', name, seq);
        }
        sql.run(PROGRESS);
        sql.run('DELETE FROM copy_progress');
      }),
  };
}

/** Tables whose ids are never given out twice. */
const NUMBERED = [
  ['campaigns', 'campaigns'],
  ['challenges', 'challenges'],
  ['likersFetches', 'likers_fetches'],
  ['webhooks', 'webhooks'],
  ['deliveries', 'deliveries'],
  ['jobs', 'jobs'],
  ['auditLog', 'audit_log'],
] as const;

/** JSON of callers stays as it is written. */
const kindOf = (kind: Parameters<typeof fromColumn>[1]) => (kind === 'data' ? 'plain' : kind);

function toRecord(sql: Sql, kind: CopiedKind, row: Row): CopyRecord {
  const { table, key = ['id'] } = COPIED[kind];
  const record = fieldsOf(table, row, key.length === 1 ? key[0] : undefined);
  if (OUTBOX_OWNERS.includes(kind)) {
    const entries = sql.all<Row>('SELECT * FROM outbox WHERE owner = ? ORDER BY seq', `${kind}:${record._id}`);
    return { ...record, outbox: entries.map((one) => fieldsOf(tables.OUTBOX, one).entry) };
  }
  if (kind !== 'campaigns') return record;
  const found = sql.get<Row>('SELECT * FROM challenges WHERE campaign_id = ?', record._id as number);
  const { campaignId, ...challenge } = found === undefined ? {} : fieldsOf(tables.CHALLENGES, found);
  return { ...record, challenge };
}

function fieldsOf({ columns }: Table<object>, row: Row, id?: string): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, field, kind }) => [name === id ? '_id' : field, fromColumn(row[name] ?? null, kindOf(kind))]),
  );
}

function insert(sql: Sql, kind: CopiedKind, record: CopyRecord): void {
  const { table, key = ['id'] } = COPIED[kind];
  insertRow(sql, table, record, key.length === 1 ? key[0] : undefined);
  const { _id, challenge, outbox = [] } = record;
  if (kind === 'campaigns') insertRow(sql, tables.CHALLENGES, { ...(challenge as object), campaignId: _id });
  for (const entry of outbox as readonly { readonly id: string }[]) {
    insertRow(sql, tables.OUTBOX, { owner: `${kind}:${_id}`, entryId: entry.id, entry });
  }
}

function insertRow(sql: Sql, { name, columns }: Table<object>, record: CopyRecord, id?: string): void {
  const given = columns.flatMap((column) => {
    const value = record[column.name === id ? '_id' : column.field] ?? null;
    return value === null ? [] : [[column.name, toValue(value, kindOf(column.kind))] as const];
  });
  const places = given.map(() => '?').join(', ');
  sql.run(
    `INSERT INTO ${name} (${given.map(([column]) => column).join(', ')}) VALUES (${places})`,
    ...given.map(([, value]) => value),
  );
}

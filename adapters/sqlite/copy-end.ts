/** A SQLite file as one end of a copy of a whole store. */
import type {
  CopiedKind,
  CopyEnd,
  CopyKey,
  CopyProgress,
  CopyRecord,
  CopySequences,
} from '../../core/ports/copy-end.ts';
import { COPIED_TABLES, type CopiedTable, toFields, toValues } from './copy-tables.ts';
import { Connection, type Sql } from './database.ts';
import type { Value } from './values.ts';

const BUSY_TIMEOUT_MS = 10_000;

/** Tables whose ids are never given out twice. */
const NUMBERED: readonly (CopiedKind | 'challenges')[] = [
  'campaigns',
  'challenges',
  'likersFetches',
  'webhooks',
  'deliveries',
  'subscriberDeliveries',
  'jobs',
  'auditLog',
];

const PROGRESS = 'CREATE TABLE IF NOT EXISTS copy_progress (id INTEGER PRIMARY KEY, progress TEXT NOT NULL) STRICT';

/** A process of MongoDB may have died after it queued jobs and before their groups got a turn. */
const GIVE_MISSED_TURNS = `INSERT INTO job_groups (type, name, turn_at)
  SELECT type, job_group, min(run_at) FROM jobs WHERE status = 'queued' AND job_group IS NOT NULL GROUP BY type, job_group
  ON CONFLICT (type, name) DO NOTHING`;

/** `open` makes a file that is missing, and throws as `createSqliteStorage` says. */
export function createSqliteCopyEnd({ path }: { readonly path: string }): CopyEnd {
  const connection = new Connection({ path, busyTimeoutMs: BUSY_TIMEOUT_MS });
  const hasProgress = (sql: Sql) =>
    sql.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'copy_progress'") !== undefined;
  return {
    open: () => connection.open(),
    close: () => connection.close(),

    read: (kind, after, limit) => connection.read((sql) => readPage(sql, kind, after, limit)),

    write: (kind, records, progress) =>
      connection.write((sql) => {
        sql.run(PROGRESS);
        // Records and progress are one transaction: what is there was not written before.
        for (const record of records) insert(sql, kind, record);
        const text =
          'INSERT INTO copy_progress VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET progress = excluded.progress';
        sql.run(text, JSON.stringify(progress));
      }),

    progress: () =>
      connection.read((sql) => {
        if (!hasProgress(sql)) return null;
        const row = sql.get<{ readonly progress: string }>('SELECT progress FROM copy_progress');
        return row === undefined ? null : (JSON.parse(row.progress) as CopyProgress);
      }),

    sequences: () =>
      connection.read((sql): CopySequences => {
        const rows = sql.all<{ readonly name: string; readonly seq: number }>('SELECT name, seq FROM sqlite_sequence');
        const known = new Map(rows.map(({ name, seq }) => [name, seq]));
        return Object.fromEntries(NUMBERED.map((kind) => [kind, known.get(COPIED_TABLES[kind].table) ?? 0]));
      }),

    finish: (sequences) =>
      connection.write((sql) => {
        for (const kind of NUMBERED) {
          const { table } = COPIED_TABLES[kind];
          const seq = sequences[kind] ?? 0;
          const { changes } = sql.run('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', seq, table);
          if (changes === 0) sql.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, seq);
        }
        sql.run(GIVE_MISSED_TURNS);
        sql.run('DELETE FROM copy_progress');
      }),
  };
}

type Row = Readonly<Record<string, Value>>;

function readPage(sql: Sql, kind: CopiedKind, after: CopyKey | null, limit: number) {
  const copied = COPIED_TABLES[kind];
  const { table, key } = copied;
  const places = key.map(() => '?').join(', ');
  const behind = after === null ? '' : `WHERE (${key.join(', ')}) > (${places})`;
  const text = `SELECT * FROM ${table} ${behind} ORDER BY ${key.join(', ')} LIMIT ?`;
  const rows = sql.all<Row>(text, ...(after ?? []), limit);
  const lastRow = rows.at(-1);
  const last = lastRow === undefined ? null : key.map((column) => lastRow[column] as string | number);
  return { records: rows.map((row) => toRecord(sql, kind, toFields(copied, row))), last };
}

function toRecord(sql: Sql, kind: CopiedKind, fields: Record<string, unknown>): CopyRecord {
  if (kind === 'campaigns') {
    const row = sql.get<Row>('SELECT * FROM challenges WHERE campaign_id = ?', fields._id as number);
    const { campaignId, ...challenge } = toFields(COPIED_TABLES.challenges, row ?? {});
    return { ...fields, challenge };
  }
  if (kind === 'socialAccounts') {
    const text = 'SELECT * FROM account_outbox WHERE account_id = ? ORDER BY seq';
    return { ...fields, outbox: entriesOf(COPIED_TABLES.accountOutbox, sql.all<Row>(text, fields._id as number)) };
  }
  if (kind === 'attempts') {
    const text = 'SELECT * FROM attempt_outbox WHERE attempt_id = ? ORDER BY seq';
    return { ...fields, outbox: entriesOf(COPIED_TABLES.attemptOutbox, sql.all<Row>(text, fields._id as number)) };
  }
  return fields;
}

function entriesOf(table: CopiedTable, rows: readonly Row[]): readonly unknown[] {
  return rows.map((row) => toFields(table, row).entry);
}

function insert(sql: Sql, kind: CopiedKind, record: CopyRecord): void {
  insertRow(sql, COPIED_TABLES[kind], record);
  if (kind === 'campaigns') {
    insertRow(sql, COPIED_TABLES.challenges, { ...(record.challenge as object), campaignId: record._id });
  }
  if (kind !== 'attempts' && kind !== 'socialAccounts') return;
  const outbox = kind === 'attempts' ? COPIED_TABLES.attemptOutbox : COPIED_TABLES.accountOutbox;
  for (const entry of record.outbox as readonly { readonly id: string }[]) {
    insertRow(sql, outbox, { attemptId: record._id, accountId: record._id, entryId: entry.id, entry });
  }
}

function insertRow(sql: Sql, copied: CopiedTable, fields: CopyRecord): void {
  const names = copied.columns.map(({ column }) => column);
  const values = toValues(copied, fields);
  sql.run(`INSERT INTO ${copied.table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, ...values);
}

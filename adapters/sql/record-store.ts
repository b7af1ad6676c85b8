/** A database as plain records. */
import type { Challenge } from '../../core/engagement/campaigns/campaign.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { OutboxOwner } from '../../core/ports/outbox-store.ts';
import type { CopiedKind, CopyRecord, RecordStore } from '../../core/ports/record-store.ts';
import { type Column, camelCase, fromColumn, toValue } from './columns.ts';
import { appendOutbox } from './outbox.ts';
import type { Row, Table } from './table.ts';
import * as tables from './tables.ts';
import type { Sql, SqlConnection, Value, Work } from './work.ts';

const TABLES = new Map<string, Table<object>>(Object.values(tables).map((table) => [camelCase(table.name), table]));

/** Kinds with entries in the outbox, which are a part of their records. */
const OUTBOX_OWNERS: readonly CopiedKind[] = ['attempts', 'socialAccounts', 'canaries', 'brandConnections'];

export function createRecordStore(connection: SqlConnection): RecordStore {
  const select = (kind: CopiedKind, rest: string, ...values: readonly Value[]) =>
    connection.read(function* (sql) {
      const records: CopyRecord[] = [];
      for (const row of yield* sql.all<Row>(`SELECT * FROM ${tableOf(kind).name} ${rest}`, ...values)) {
        records.push(yield* toRecord(sql, kind, row));
      }
      return records;
    });
  return {
    async read(kind, after, limit) {
      const { key } = tableOf(kind);
      const keys = key.map(({ name }) => name).join(', ');
      const values = after === null ? [] : key.map((column) => after[fieldOf(column, key)] as Value);
      const behind = after === null ? '' : `WHERE (${keys}) > (${values.map(() => '?').join(', ')})`;
      return select(kind, `${behind} ORDER BY ${keys} LIMIT ?`, ...values, limit);
    },

    async last(kind) {
      const order = tableOf(kind).key.map(({ name }) => `${name} DESC`);
      return (await select(kind, `ORDER BY ${order.join(', ')} LIMIT 1`))[0] ?? null;
    },

    write: (kind, records) =>
      connection.write(function* (sql) {
        for (const record of records) yield* insert(sql, kind, record);
      }),
  };
}

function tableOf(kind: CopiedKind): Table<object> {
  const table = TABLES.get(kind);
  if (table === undefined) throw new Error(`There is no table of ${kind}.`);
  return table;
}

/** A key of one column is the `_id` of the record. */
function fieldOf(column: Column, key: readonly Column[]): string {
  return key.length === 1 && key[0] === column ? '_id' : column.field;
}

/** JSON of callers stays as it is written. */
const kindOf = ({ kind }: Column) => (kind === 'data' ? 'text' : kind);

function* toRecord(sql: Sql, kind: CopiedKind, row: Row): Work<CopyRecord> {
  const record = fieldsOf(tableOf(kind), row);
  if (OUTBOX_OWNERS.includes(kind)) {
    const entries = yield* tables.OUTBOX.select(sql, 'WHERE owner = ? ORDER BY seq', `${kind}:${record._id}`);
    return { ...record, outbox: entries.map(({ entry }) => entry) };
  }
  if (kind !== 'campaigns') return record;
  const challenge = yield* tables.CHALLENGES.find(sql, 'WHERE campaign_id = ?', Number(record._id));
  return { ...record, challenge: { ...challenge, campaignId: undefined } };
}

function fieldsOf({ columns, key }: Table<object>, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    columns.flatMap((column) => {
      const value = row[column.name] ?? null;
      return value === null && column.isOptional ? [] : [[fieldOf(column, key), fromColumn(value, kindOf(column))]];
    }),
  );
}

function* insert(sql: Sql, kind: CopiedKind, record: CopyRecord): Work<void> {
  yield* insertRow(sql, tableOf(kind), record);
  if (OUTBOX_OWNERS.includes(kind)) {
    const owner = `${kind}:${record._id}` as OutboxOwner;
    yield* appendOutbox(sql, { owner, entries: record.outbox as readonly OutboxEntry[] });
  }
  if (kind === 'places') yield* countPlace(sql, record);
  if (kind !== 'campaigns') return;
  const challenge = record.challenge as Challenge;
  yield* tables.CHALLENGES.insert(sql, { ...challenge, campaignId: Number(record._id) });
  yield* sql.idTaken('challenges', 'id', challenge.id);
}

/** The total follows from the places. */
function countPlace(sql: Sql, { key, amount }: CopyRecord): Work<number> {
  const text = `INSERT INTO place_totals (key, used) VALUES (?, ?)
    ON CONFLICT (key) DO UPDATE SET used = place_totals.used + excluded.used`;
  return sql.run(text, String(key), Number(amount));
}

function* insertRow(sql: Sql, { name, columns, key }: Table<object>, record: CopyRecord): Work<void> {
  const given = columns.flatMap((column) => {
    const value = record[fieldOf(column, key)] ?? null;
    return value === null ? [] : [[column.name, toValue(value, kindOf(column))] as const];
  });
  const [names, values] = [given.map(([column]) => column), given.map(([, value]) => value)];
  const places = values.map(() => '?').join(', ');
  yield* sql.run(`INSERT INTO ${name} (${names.join(', ')}) VALUES (${places})`, ...values);
  const [own] = key;
  if (own !== undefined && typeof record._id === 'number') yield* sql.idTaken(name, own.name, record._id);
}

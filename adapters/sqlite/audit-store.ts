import type { AuditEntry } from '../../core/access/audit.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import type { Connection, Sql } from './database.ts';
import type { OrderedList, Pages } from './pages.ts';
import { fromJson, millis, pageOf, toDate, type Value } from './values.ts';

interface AuditRow extends Omit<AuditEntry, 'at' | 'before' | 'after'> {
  readonly at: number;
  readonly before: string | null;
  readonly after: string | null;
}

const SELECT = `SELECT id, at, actor, role, operation, target, outcome, error, state_before AS before, state_after AS after,
  request_id AS requestId FROM audit_log`;
/** Bounds that every time is within. */
const [FIRST, LAST] = [-8.64e15, 8.64e15 + 1];

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function toEntry(row: AuditRow): AuditEntry {
  const { at, before, after } = row;
  return {
    ...row,
    at: toDate(at),
    before: before === null ? null : fromJson(before),
    after: after === null ? null : fromJson(after),
  };
}

interface Chosen {
  readonly where: string;
  readonly values: readonly Value[];
}

function chosen({ actor, operation, target, from, to }: AuditFilter): Chosen {
  const equal = Object.entries({ actor, operation, target }).filter(([, value]) => value !== undefined);
  return {
    where: [...equal.map(([column]) => `${column} = ?`), 'at >= ? AND at < ?'].join(' AND '),
    values: [...equal.map(([, value]) => String(value)), from ? millis(from) : FIRST, to ? millis(to) : LAST],
  };
}

const lists = new Map<string, OrderedList>();

/** One for each set of filters, so that their texts are made once. */
function listOf(where: string): OrderedList {
  const list = lists.get(where) ?? { select: SELECT, from: 'audit_log', where, order: ['at', 'id'], direction: 'DESC' };
  lists.set(where, list);
  return list;
}

/** Entries go at the end of the list alone, so that its positions stay until the next one comes. */
function countOf(sql: Sql, { where, values }: Chosen) {
  const counted = sql.get<{ total: number }>(`SELECT count(*) AS total FROM audit_log WHERE ${where}`, ...values);
  const newest = sql.get<{ id: number | null }>('SELECT max(id) AS id FROM audit_log');
  return { total: counted?.total ?? 0, changes: newest?.id ?? 0 };
}

export function createAuditStore(connection: Connection, pages: Pages): AuditStore {
  return {
    append: ({ at, actor, role, operation, target, before, requestId }) =>
      connection.write(
        (sql) =>
          sql.run(
            `INSERT INTO audit_log (at, actor, role, operation, target, outcome, state_before, request_id)
              VALUES (?, ?, ?, ?, ?, 'unknown', ?, ?)`,
            millis(at),
            actor,
            role,
            operation,
            target,
            asJson(before),
            requestId,
          ).id,
      ),

    conclude: (id, { target, outcome, error, after }) =>
      connection.write(
        (sql) =>
          sql.run(
            `UPDATE audit_log SET target = ?, outcome = ?, error = ?, state_after = ? WHERE id = ? AND outcome = 'unknown'`,
            target,
            outcome,
            error,
            asJson(after),
            id,
          ).changes > 0,
      ),

    async list(filter, page) {
      const { where, values } = chosen(filter);
      const counted = (sql: Sql) => countOf(sql, { where, values });
      return pageOf(await pages.read<AuditRow>(listOf(where), values, page, counted), toEntry);
    },
  };
}

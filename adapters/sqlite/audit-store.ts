import type { AuditEntry } from '../../core/access/audit.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import type { Connection } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import { fromJson, millis, pageOf, toDate, type Value } from './values.ts';

interface AuditRow extends Omit<AuditEntry, 'at' | 'before' | 'after'> {
  readonly at: number;
  readonly before: string | null;
  readonly after: string | null;
}

const SELECT = `SELECT id, at, actor, role, operation, target, outcome, error, state_before AS before, state_after AS after,
  request_id AS requestId FROM audit_log`;
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

const NEWEST_FIRST: Omit<OrderedList, 'where'> = {
  select: SELECT,
  from: 'audit_log',
  order: ['at', 'id'],
  direction: 'DESC',
};

function conditionsOf({ from, to, ...equal }: AuditFilter) {
  const parts: (readonly [text: string, value: Value])[] = [];
  for (const column of ['target', 'actor', 'operation'] as const) {
    const value = equal[column];
    if (value !== undefined) parts.push([`${column} = ?`, value]);
  }
  if (from !== undefined) parts.push(['at >= ?', millis(from)]);
  if (to !== undefined) parts.push(['at < ?', millis(to)]);
  return { where: ['TRUE', ...parts.map(([text]) => text)].join(' AND '), values: parts.map(([, value]) => value) };
}

export function createAuditStore(connection: Connection): AuditStore {
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

    list(filter, page) {
      const { where, values } = conditionsOf(filter);
      return connection.read((sql) =>
        pageOf(readPage<AuditRow>(sql, { ...NEWEST_FIRST, where }, values, page), toEntry),
      );
    },
  };
}

import type { AuditEntry } from '../../core/access/audit.ts';
import type { AuditStore } from '../../core/ports/audit-store.ts';
import { equals, type OrderedList, readPage } from './pages.ts';
import { AUDIT_LOG } from './tables.ts';
import { millis } from './values.ts';
import type { SqlConnection } from './work.ts';

const NEWEST_FIRST: OrderedList<AuditEntry> = { table: AUDIT_LOG, order: ['at', 'id'], direction: 'DESC' };

const FIRST = -8.64e15;
const LAST = 8.64e15;

export function createAuditStore(connection: SqlConnection): AuditStore {
  return {
    append: (action) =>
      connection.statement(function* (sql) {
        return (yield* AUDIT_LOG.insert(sql, { ...action, outcome: 'unknown' })).id;
      }),

    conclude: (id, conclusion) =>
      connection.statement(function* (sql) {
        return (yield* AUDIT_LOG.update(sql, conclusion, "WHERE id = ? AND outcome = 'unknown'", id)) > 0;
      }),

    list({ from, to, ...equal }, page) {
      const { requestId, ...others } = equal;
      const { where, values } = equals({ ...others, request_id: requestId });
      const times = [from === undefined ? FIRST : millis(from), to === undefined ? LAST : millis(to)];
      const condition = { where: `${where} AND at >= ? AND at < ?`, values: [...values, ...times] };
      return connection.read((sql) => readPage(sql, NEWEST_FIRST, condition, page));
    },
  };
}

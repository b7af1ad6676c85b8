import type { AuditStore } from '../../core/ports/audit-store.ts';
import { all, equals, readPage, when } from './pages.ts';
import { AUDIT_LOG } from './tables.ts';
import { millis } from './values.ts';
import type { SqlConnection } from './work.ts';

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

    async list({ from, to, requestId, ...others }, page) {
      const times = [from && when('at >= ?', millis(from)), to && when('at < ?', millis(to))];
      const chosen = all(equals({ ...others, request_id: requestId }), ...times);
      return connection.read((sql) => readPage(sql, AUDIT_LOG, '-at', chosen, page));
    },
  };
}

import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import type { Database } from './items.ts';
import { equals, instant, integer } from './values.ts';

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function chosen({ actor, operation, target, requestId, from, to }: AuditFilter) {
  const times = { ...(from && { $gte: instant(from) }), ...(to && { $lt: instant(to) }) };
  return { ...equals({}, { actor, operation, target, requestId }), ...((from ?? to) && { at: times }) };
}

export function createAuditStore(db: Database): AuditStore {
  return {
    async append(action) {
      const { actor, operation, target, requestId, before } = action;
      const names = equals({ actor, operation, target, requestId });
      const open = { outcome: 'unknown', error: null, before: asJson(before), after: null } as const;
      return (await db.auditLog.append({ ...action, ...names, ...open })).id;
    },

    conclude: (id, { target, outcome, error, after }) =>
      db.auditLog.update(
        { _id: integer(id), outcome: 'unknown' },
        { $set: { ...equals({ target, outcome, error }), after: asJson(after) } },
      ),

    list: async (filter, page) => db.auditLog.page(chosen(filter), '-at', page),
  };
}

import type { AuditAction } from '../../core/access/audit-entry.ts';
import { gathered } from '../../core/gather.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import type { Database } from './items.ts';
import { between, equals, integer } from './values.ts';

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function chosen({ actor, operation, target, requestId, from, to }: AuditFilter) {
  const at = between(from, to);
  return { ...equals({}, { actor, operation, target, requestId }), ...(at && { at }) };
}

/** Entries of callers of one moment are stored, and concluded, by one command. */
export function createAuditStore(db: Database): AuditStore {
  const append = gathered(async (actions: readonly AuditAction[]) => {
    const first = await db.auditLog.reserve(actions.length);
    const entries = actions.map((action, index) => {
      const { actor, operation, target, requestId, before } = action;
      const names = equals({ actor, operation, target, requestId });
      const open = { outcome: 'unknown', error: null, before: asJson(before), after: null } as const;
      return { _id: first + index, ...action, ...names, ...open };
    });
    await db.auditLog.insertMissing(entries);
    return new Map(actions.map((action, index) => [action, first + index]));
  });
  return {
    async append(action) {
      const id = await append(action);
      if (id === undefined) throw new Error('An entry that was just stored is missing.');
      return id;
    },

    conclude: async (id, { target, outcome, error, after }) => {
      const $set = { ...equals({ target, outcome, error }), after: asJson(after) };
      return db.auditLog.updateTogether({ filter: { _id: integer(id), outcome: 'unknown' }, $set });
    },

    list: async (filter, page) => db.auditLog.page(chosen(filter), '-at', page),
  };
}

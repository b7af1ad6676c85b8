import type { Filter } from 'mongodb';
import type { AuditEntry } from '../../core/access/audit.ts';
import { parseJson } from '../../core/json-reader.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type AuditDocument, collection } from './documents.ts';
import { readPage } from './pages.ts';
import { checked, instant, integer, text } from './values.ts';

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const fromJson = (value: string | null): unknown => (value === null ? null : parseJson(value));

function toEntry({ _id, before, after, ...rest }: AuditDocument): AuditEntry {
  return { ...rest, id: _id, before: fromJson(before), after: fromJson(after) };
}

function chosen({ actor, operation, target, requestId, from, to }: AuditFilter): Filter<AuditDocument> {
  const times = { ...(from ? { $gte: instant(from) } : {}), ...(to ? { $lt: instant(to) } : {}) };
  return {
    ...(actor === undefined ? {} : { actor: text(actor) }),
    ...(operation === undefined ? {} : { operation: text(operation) }),
    ...(target === undefined ? {} : { target: text(target) }),
    ...(requestId === undefined ? {} : { requestId: text(requestId) }),
    ...(from || to ? { at: times } : {}),
  };
}

export function createAuditStore(connection: Connection): AuditStore {
  return {
    append: (action) =>
      connection.run(async (db) => {
        const _id = await reserveIds(db, 'auditLog');
        for (const value of [action.actor, action.operation, action.target, action.requestId]) {
          if (value !== null) text(value);
        }
        const open = { outcome: 'unknown', error: null, before: asJson(action.before), after: null } as const;
        await collection(db, 'auditLog').insertOne(checked({ _id, ...action, ...open }));
        return _id;
      }),

    conclude: (id, { target, outcome, error, after }) =>
      connection.run(async (db) => {
        const $set = { target: target === null ? null : text(target), outcome, error, after: asJson(after) };
        const open = { _id: integer(id), outcome: 'unknown' as const };
        return (await collection(db, 'auditLog').updateOne(open, { $set })).matchedCount === 1;
      }),

    list: (filter, page) =>
      connection.run(async (db) => {
        const order = { direction: -1, by: 'at' } as const;
        const { items, total } = await readPage(collection(db, 'auditLog'), chosen(filter), order, page);
        return { items: items.map(toEntry), total };
      }),
  };
}

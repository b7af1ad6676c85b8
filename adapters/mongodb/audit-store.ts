import type { Filter } from 'mongodb';
import type { AuditEntry } from '../../core/access/audit.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type AuditDocument, collection } from './documents.ts';
import { countGrowing } from './growing-totals.ts';
import { readPage } from './pages.ts';
import { checked, instant, integer, text } from './values.ts';

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const fromJson = (value: string | null): unknown => (value === null ? null : JSON.parse(value));

function toEntry({ _id, before, after, ...rest }: AuditDocument): AuditEntry {
  return { ...rest, id: _id, before: fromJson(before), after: fromJson(after) };
}

function chosen({ actor, operation, target, from, to }: AuditFilter): Filter<AuditDocument> {
  const times = { ...(from ? { $gte: instant(from) } : {}), ...(to ? { $lt: instant(to) } : {}) };
  return {
    ...(actor === undefined ? {} : { actor: text(actor) }),
    ...(operation === undefined ? {} : { operation: text(operation) }),
    ...(target === undefined ? {} : { target: text(target) }),
    ...(from || to ? { at: times } : {}),
  };
}

export function createAuditStore(connection: Connection): AuditStore {
  return {
    append: ({ at, actor, role, operation, target, before, requestId }) =>
      connection.run(async (db) => {
        const document: AuditDocument = {
          _id: await reserveIds(db, 'auditLog'),
          at: instant(at),
          actor: text(actor),
          role,
          operation: text(operation),
          target: target === null ? null : text(target),
          outcome: 'unknown',
          error: null,
          before: asJson(before),
          after: null,
          requestId: text(requestId),
        };
        await collection(db, 'auditLog').insertOne(checked(document));
        return document._id;
      }),

    conclude: (id, { target, outcome, error, after }) =>
      connection.run(async (db) => {
        const { matchedCount } = await collection(db, 'auditLog').updateOne(
          { _id: integer(id), outcome: 'unknown' },
          { $set: { target: target === null ? null : text(target), outcome, error, after: asJson(after) } },
        );
        return matchedCount === 1;
      }),

    list: (filter, page) =>
      connection.run(async (db) => {
        const order = { direction: -1, by: 'at' } as const;
        const filtered = chosen(filter);
        // Ordered by a time that clocks of several processes tell: ids say nothing about places in the list.
        const counting = 'at' in filtered ? {} : { counted: () => countGrowing(db, 'auditLog', filtered, 'other') };
        const { items, total } = await readPage(collection(db, 'auditLog'), filtered, order, page, counting);
        return { items: items.map(toEntry), total };
      }),
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { Filter } from 'mongodb';
import type { AuditEntry } from '../../core/access/audit.ts';
import { parseJson } from '../../core/json-reader.ts';
import type { AuditFilter, AuditStore } from '../../core/ports/audit-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type AuditDocument, collection } from './documents.ts';
import { gathered } from './gathered.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { instant, integer, text } from './values.ts';
import { writeBulk } from './write-bulk.ts';

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
const fromJson = (value: string | null): unknown => (value === null ? null : parseJson(value));

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

/** Stores entries that come together in one command, and returns their ids. */
const appendAll = gathered<Omit<AuditDocument, '_id'>, number>(async (db, entries) => {
  const firstId = await reserveIds(db, 'auditLog', entries.length);
  const documents = entries.map((entry, index): AuditDocument => ({ _id: firstId + index, ...entry }));
  await insertMissing(db, 'auditLog', documents, ['_id']);
  return entries.map((_, index) => firstId + index);
});

interface Conclusion {
  readonly id: number;
  readonly fields: Pick<AuditDocument, 'target' | 'outcome' | 'error' | 'after'>;
}

/** Concludes entries in one command; a second one if some of them were not open any more. */
const concludeAll = gathered<Conclusion, boolean>(async (db, conclusions) => {
  const target = collection(db, 'auditLog');
  const updates = conclusions.map(({ id, fields }) => ({
    updateOne: { filter: { _id: id, outcome: 'unknown' as const }, update: { $set: fields } },
  }));
  const concluded = await writeBulk(target, updates);
  if (concluded === conclusions.length) return conclusions.map(() => true);
  if (concluded === 0) return conclusions.map(() => false);
  const found = await target.find({ _id: { $in: conclusions.map(({ id }) => id) } }).toArray();
  const byId = new Map(found.map((entry) => [entry._id, entry]));
  return conclusions.map(({ id, fields }) => {
    const entry = byId.get(id);
    // Of several for one entry, the first was written.
    byId.delete(id);
    return entry !== undefined && isDeepStrictEqual({ ...entry, ...fields }, entry);
  });
});

export function createAuditStore(connection: Connection): AuditStore {
  return {
    append: ({ at, actor, role, operation, target, before, requestId }) =>
      connection.run((db) =>
        appendAll(db, {
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
        }),
      ),

    conclude: (id, { target, outcome, error, after }) =>
      connection.run((db) => {
        const fields = { target: target === null ? null : text(target), outcome, error, after: asJson(after) };
        return concludeAll(db, { id: integer(id), fields });
      }),

    list: (filter, page) =>
      connection.run(async (db) => {
        const order = { direction: -1, by: 'at' } as const;
        const { items, total } = await readPage(collection(db, 'auditLog'), chosen(filter), order, page);
        return { items: items.map(toEntry), total };
      }),
  };
}

/** The outbox: rows that are written in the transaction of what they announce. */
import type { OutboxStore, PendingOutbox } from '../../core/ports/outbox-store.ts';
import { OUTBOX } from './tables.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

// Reads no further than the oldest entries, however many there are.
const PENDING = `WHERE owner IN (
    SELECT owner FROM outbox oldest WHERE NOT EXISTS (
      SELECT 1 FROM outbox WHERE owner = oldest.owner AND seq < oldest.seq)
    ORDER BY seq LIMIT ?)
  ORDER BY seq`;

// An id says whose entry it is.
const ACKNOWLEDGE = 'DELETE FROM outbox WHERE owner IN (?) AND entry_id IN (?)';

export function createOutboxStore(connection: SqlConnection): OutboxStore {
  return {
    pending: (limit) =>
      connection.read(function* (sql) {
        const byOwner = Map.groupBy(yield* OUTBOX.select(sql, PENDING, limit), ({ owner }) => owner);
        return [...byOwner].map(([owner, rows]) => ({ owner, entries: rows.map(({ entry }) => entry) }));
      }),

    acknowledge: (handedOver) =>
      connection.write(function* (sql) {
        const owners = new Among(handedOver.map(({ owner }) => owner));
        const ids = new Among(handedOver.flatMap(({ entryIds }) => entryIds));
        yield* sql.run(ACKNOWLEDGE, owners, ids);
      }),
  };
}

/** Entries of one or of many owners. One that waits under its id already stays as it is. */
export function* appendOutbox(sql: Sql, ...pending: readonly PendingOutbox[]): Work<void> {
  const rows = pending.flatMap(({ owner, entries }) => entries.map((entry) => ({ owner, entryId: entry.id, entry })));
  yield* OUTBOX.insertNew(sql, rows, '(owner, entry_id)');
}

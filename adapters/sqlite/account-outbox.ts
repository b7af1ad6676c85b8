/** The outbox of accounts: rows beside the account, written in the transaction that links it. */
import type { EventEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { CreatorStore } from '../../core/ports/creator-store.ts';
import type { Connection, Sql } from './database.ts';
import { ACCOUNT_OUTBOX } from './tables.ts';

// Reads no further than the oldest entries, however many there are.
const PENDING = `WHERE account_id IN (
    SELECT account_id FROM account_outbox oldest WHERE NOT EXISTS (
      SELECT 1 FROM account_outbox WHERE account_id = oldest.account_id AND seq < oldest.seq)
    ORDER BY seq LIMIT ?)
  ORDER BY seq`;

export function accountOutbox(connection: Connection): Pick<CreatorStore, 'pendingOutbox' | 'acknowledgeOutbox'> {
  return {
    pendingOutbox: (limit) =>
      connection.read((sql) => {
        const byAccount = Map.groupBy(ACCOUNT_OUTBOX.select(sql, PENDING, limit), ({ accountId }) => accountId);
        return [...byAccount].map(([accountId, rows]) => ({ accountId, entries: rows.map(({ entry }) => entry) }));
      }),

    acknowledgeOutbox: (handedOver) =>
      connection.write((sql) => {
        const text = 'DELETE FROM account_outbox WHERE account_id = ? AND entry_id IN (SELECT value FROM json_each(?))';
        for (const { accountId, entryIds } of handedOver) sql.run(text, accountId, JSON.stringify(entryIds));
      }),
  };
}

/** An entry that waits under this id already stays as it is. */
export function appendEvent(sql: Sql, accountId: number, entry: EventEntry): void {
  ACCOUNT_OUTBOX.insertNew(sql, { accountId, entryId: entry.id, entry }, 'account_id, entry_id');
}

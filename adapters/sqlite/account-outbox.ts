/** The outbox of accounts: rows beside the account, written in the transaction that links it. */
import type { EventEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { CreatorStore, PendingAccountOutbox } from '../../core/ports/creator-store.ts';
import type { Connection, Sql } from './database.ts';
import { toEventEntry } from './event-entries.ts';

// Reads no further than the oldest entries, however many there are.
const PENDING = `SELECT account_id AS accountId, entry FROM account_outbox WHERE account_id IN (
    SELECT account_id FROM account_outbox oldest WHERE NOT EXISTS (
      SELECT 1 FROM account_outbox WHERE account_id = oldest.account_id AND seq < oldest.seq)
    ORDER BY seq LIMIT ?)
  ORDER BY seq`;

const ACKNOWLEDGE = `DELETE FROM account_outbox WHERE seq IN (
    SELECT o.seq FROM json_each(?) handed CROSS JOIN account_outbox o
    ON o.account_id = handed.value ->> 0 AND o.entry_id = handed.value ->> 1)`;

export function accountOutbox(connection: Connection): Pick<CreatorStore, 'pendingOutbox' | 'acknowledgeOutbox'> {
  return {
    pendingOutbox: (limit) =>
      connection.read((sql): PendingAccountOutbox[] => {
        const rows = sql.all<{ readonly accountId: number; readonly entry: string }>(PENDING, limit);
        return [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, entries]) => ({
          accountId,
          entries: entries.map(({ entry }) => toEventEntry(entry)),
        }));
      }),

    acknowledgeOutbox: (handedOver) =>
      connection.write((sql) => {
        const entries = handedOver.flatMap(({ accountId, entryIds }) => entryIds.map((id) => [accountId, id]));
        sql.run(ACKNOWLEDGE, JSON.stringify(entries));
      }),
  };
}

/** An entry that waits under this id already stays as it is. */
export function appendEvent(sql: Sql, accountId: number, entry: EventEntry): void {
  const text = 'INSERT INTO account_outbox (account_id, entry_id, entry) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  sql.run(text, accountId, entry.id, JSON.stringify(entry));
}

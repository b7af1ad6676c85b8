/** The outbox of attempts: rows beside the attempt, written in the transaction that moves it. */
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { AttemptStore } from '../../core/ports/attempt-store.ts';
import type { Connection, Sql } from './database.ts';
import { ATTEMPT_OUTBOX } from './tables.ts';

// Reads no further than the oldest entries, however many there are.
const PENDING = `WHERE attempt_id IN (
    SELECT attempt_id FROM attempt_outbox oldest WHERE NOT EXISTS (
      SELECT 1 FROM attempt_outbox WHERE attempt_id = oldest.attempt_id AND seq < oldest.seq)
    ORDER BY seq LIMIT ?)
  ORDER BY seq`;

const OF_ATTEMPTS = 'WHERE attempt_id IN (SELECT value FROM json_each(?)) ORDER BY seq';

type AttemptOutbox = Pick<AttemptStore, 'pendingOutbox' | 'acknowledgeOutbox'>;

export function attemptOutbox(connection: Connection): AttemptOutbox {
  return {
    pendingOutbox: (which) =>
      connection.read((sql) => {
        const rows =
          typeof which === 'number'
            ? ATTEMPT_OUTBOX.select(sql, PENDING, which)
            : ATTEMPT_OUTBOX.select(sql, OF_ATTEMPTS, JSON.stringify(which));
        const byAttempt = Map.groupBy(rows, ({ attemptId }) => attemptId);
        return [...byAttempt].map(([attemptId, own]) => ({ attemptId, entries: own.map(({ entry }) => entry) }));
      }),

    acknowledgeOutbox: (handedOver) =>
      connection.write((sql) => {
        const text = 'DELETE FROM attempt_outbox WHERE attempt_id = ? AND entry_id IN (SELECT value FROM json_each(?))';
        for (const { attemptId, entryIds } of handedOver) sql.run(text, attemptId, JSON.stringify(entryIds));
      }),
  };
}

export function appendOutbox(sql: Sql, attemptId: number, entries: readonly OutboxEntry[]): void {
  for (const entry of entries) ATTEMPT_OUTBOX.insert(sql, { attemptId, entryId: entry.id, entry });
}

/** Rows of the outbox of attempts. */
import type { HandedOver, PendingOutbox } from '../../core/ports/attempt-store.ts';
import type { Sql } from './database.ts';
import { toOutboxEntry } from './event-entries.ts';

const ACKNOWLEDGE = `DELETE FROM attempt_outbox WHERE seq IN (
    SELECT o.seq FROM json_each(?) handed CROSS JOIN attempt_outbox o
    ON o.attempt_id = handed.value AND o.entry_id = handed.key)`;

export interface OutboxRow {
  readonly attemptId: number;
  readonly entry: string;
}

/** Removes entries that were handed over. */
export function acknowledge(sql: Sql, handedOver: readonly HandedOver[]): void {
  // An object of attempts by their entries' ids, which takes SQLite less time than a list of pairs. Names may come twice.
  const members = handedOver.flatMap(({ attemptId, entryIds }) =>
    entryIds.map((id) => `${JSON.stringify(id)}:${attemptId}`),
  );
  sql.run(ACKNOWLEDGE, `{${members.join(',')}}`);
}

export function toPending(rows: readonly OutboxRow[]): PendingOutbox[] {
  const byAttempt = Map.groupBy(rows, ({ attemptId }) => attemptId);
  return [...byAttempt].map(([attemptId, entries]) => ({
    attemptId,
    entries: entries.map(({ entry }) => toOutboxEntry(entry)),
  }));
}

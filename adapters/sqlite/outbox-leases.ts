/**
 * Leases of outbox entries. A relay mostly takes the oldest entries that nobody had: all there are, up to some `seq`. So one row of
 * `outbox_leases` leases hundreds of them, and none is written. These ranges do not overlap, and nothing behind the last one was ever
 * leased. An entry that is taken in another way has a `leased_until` of its own, and only that counts: 1 if it was given back.
 */
import type { HandedOver, LeasedOutbox, OutboxLeases, PendingOutbox } from '../../core/ports/attempt-store.ts';
import { CLOCKS_DIFFER_MS } from '../../core/ports/job-queue.ts';
import type { Connection, Sql } from './database.ts';
import { createDeliveries } from './delivery-store.ts';
import { toOutboxEntry } from './event-entries.ts';
import { millis } from './values.ts';

const COLUMNS = 'o.seq, o.attempt_id AS attemptId, o.entry';

const NEW = `SELECT ${COLUMNS}, 0 AS wasLeased FROM attempt_outbox o
  WHERE o.seq > (SELECT coalesce(max(last_seq), 0) FROM outbox_leases) AND o.leased_until = 0 ORDER BY o.seq LIMIT ?`;

// Both are few: what a relay had when it died, or could not hand over.
const ENDED_ALONE = `SELECT ${COLUMNS}, 1 AS wasLeased FROM attempt_outbox o
  WHERE o.leased_until > 0 AND o.leased_until <= ? ORDER BY o.seq LIMIT ?`;
const ENDED_TOGETHER = `SELECT ${COLUMNS}, 1 AS wasLeased FROM outbox_leases l CROSS JOIN attempt_outbox o
  ON o.seq BETWEEN l.first_seq AND l.last_seq WHERE l.leased_until <= ? AND o.leased_until = 0 ORDER BY o.seq LIMIT ?`;

const OF_ATTEMPTS = `SELECT seq, attemptId, entry, leasedUntil IS NOT NULL AS wasLeased FROM (
    SELECT ${COLUMNS}, CASE WHEN o.leased_until > 0 THEN o.leased_until
      ELSE (SELECT leased_until FROM outbox_leases WHERE last_seq >= o.seq ORDER BY last_seq LIMIT 1) END AS leasedUntil
    FROM json_each(?) wanted CROSS JOIN attempt_outbox o ON o.attempt_id = wanted.value)
  WHERE coalesce(leasedUntil, 0) <= ?`;

/** Later than any lease ends now: they were stored before the clock was set back. */
const SET_BACK = ['outbox_leases', 'attempt_outbox'].map(
  (table) => `UPDATE ${table} SET leased_until = ? WHERE leased_until > 0 AND leased_until > ?`,
);

const LEASE_TOGETHER = 'INSERT INTO outbox_leases (first_seq, last_seq, leased_until) VALUES (?, ?, ?)';
const LEASE_ALONE = 'UPDATE attempt_outbox SET leased_until = ? WHERE seq IN (SELECT value FROM json_each(?))';

/** Ranges that say nothing any more. No entry comes into one later: a `seq` is never used again. */
const FORGET = `DELETE FROM outbox_leases WHERE leased_until <= ? AND NOT EXISTS (
    SELECT 1 FROM attempt_outbox o WHERE o.seq BETWEEN first_seq AND last_seq AND o.leased_until = 0)`;

const HANDED_OVER = `seq IN (
    SELECT o.seq FROM json_each(?) handed CROSS JOIN attempt_outbox o
    ON o.attempt_id = handed.value AND o.entry_id = handed.key)`;
const GIVE_BACK = `UPDATE attempt_outbox SET leased_until = 1 WHERE ${HANDED_OVER}`;
const ACKNOWLEDGE = `DELETE FROM attempt_outbox WHERE ${HANDED_OVER}`;

export interface OutboxRow {
  readonly attemptId: number;
  readonly entry: string;
}

interface DueRow extends OutboxRow {
  readonly seq: number;
  /** 0 or 1. */
  readonly wasLeased: number;
}

export function createOutboxLeases(connection: Connection): OutboxLeases {
  return {
    take: (which, now, until) =>
      connection.write((sql) => {
        const [at, end] = [millis(now), millis(until)];
        return toLeased(
          'limit' in which ? takeOldest(sql, which.limit, at, end) : takeOf(sql, which.attemptIds, at, end),
        );
      }),
    finish: (deliveries, entries) =>
      connection.write((sql) => {
        createDeliveries(sql, deliveries);
        acknowledge(sql, entries);
      }),
    giveBack: (entries) => connection.write((sql) => void sql.run(GIVE_BACK, asJson(entries))),
  };
}

/** Removes entries that were handed over. */
export function acknowledge(sql: Sql, handedOver: readonly HandedOver[]): void {
  sql.run(ACKNOWLEDGE, asJson(handedOver));
}

export function toPending(rows: readonly OutboxRow[]): PendingOutbox[] {
  const byAttempt = Map.groupBy(rows, ({ attemptId }) => attemptId);
  return [...byAttempt].map(([attemptId, entries]) => ({
    attemptId,
    entries: entries.map(({ entry }) => toOutboxEntry(entry)),
  }));
}

function takeOldest(sql: Sql, limit: number, now: number, until: number): readonly DueRow[] {
  for (const text of SET_BACK) sql.run(text, until, until + CLOCKS_DIFFER_MS);
  sql.run(FORGET, now);
  const ended = [...sql.all<DueRow>(ENDED_ALONE, now, limit), ...sql.all<DueRow>(ENDED_TOGETHER, now, limit)];
  const rows = inOrder([...ended, ...sql.all<DueRow>(NEW, limit)]).slice(0, limit);
  const { fresh = [], again = [] } = Object.groupBy(rows, ({ wasLeased }) => (wasLeased === 0 ? 'fresh' : 'again'));
  leaseTogether(sql, fresh, until);
  leaseAlone(sql, again, until);
  return rows;
}

function takeOf(sql: Sql, attemptIds: readonly number[], now: number, until: number): readonly DueRow[] {
  const rows = inOrder(sql.all<DueRow>(OF_ATTEMPTS, JSON.stringify(attemptIds), now));
  leaseAlone(sql, rows, until);
  return rows;
}

const inOrder = (rows: DueRow[]) => rows.sort((one, other) => one.seq - other.seq);

/** Leases all entries from the first to the last of these: the oldest ones that were never leased, in order. */
function leaseTogether(sql: Sql, rows: readonly DueRow[], until: number): void {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first !== undefined && last !== undefined) sql.run(LEASE_TOGETHER, first.seq, last.seq, until);
}

function leaseAlone(sql: Sql, rows: readonly DueRow[], until: number): void {
  if (rows.length > 0) sql.run(LEASE_ALONE, until, JSON.stringify(rows.map(({ seq }) => seq)));
}

function toLeased(rows: readonly DueRow[]): LeasedOutbox[] {
  const again = new Set(rows.flatMap(({ attemptId, wasLeased }) => (wasLeased === 1 ? [attemptId] : [])));
  return toPending(rows).map((each) => ({ ...each, isAgain: again.has(each.attemptId) }));
}

/** An object of attempts by their entries' ids, which takes SQLite less time than a list of pairs. Names may come twice. */
function asJson(handedOver: readonly HandedOver[]): string {
  const members = handedOver.flatMap(({ attemptId, entryIds }) =>
    entryIds.map((id) => `${JSON.stringify(id)}:${attemptId}`),
  );
  return `{${members.join(',')}}`;
}

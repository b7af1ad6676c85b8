/**
 * Purges by age, a window of rows at a time. Ids grow with time, so the oldest rows come first, and tables with
 * frequent writes need no index by time.
 */
import type { PurgeStep, RetainedKind, RetentionStore } from '../../core/ports/retention-store.ts';
import { SUBSCRIBER } from './columns.ts';
import { piece, purgePiece } from './purges.ts';
import { BULK_ROWS, millis } from './values.ts';
import type { Sql, SqlConnection, Work } from './work.ts';

interface Aged {
  readonly table: string;
  readonly id: string;
  readonly time: string;
  /** Which rows may go; `t` is the row. */
  readonly over: string;
}

const DELIVERIES: Aged = {
  table: 'deliveries',
  id: 'id',
  time: 'created_at',
  over: `(t.status <> 'pending' OR t.target >= '${SUBSCRIBER}')`,
};
const JOBS: Aged = { table: 'jobs', id: 'id', time: 'created_at', over: "t.status = 'dead'" };
const METRICS: Aged = {
  table: 'metrics',
  id: 'seq',
  time: 'fetched_at',
  over: `EXISTS (SELECT 1 FROM metrics AS n
    WHERE n.challenge_id = t.challenge_id AND (n.fetched_at, n.seq) > (t.fetched_at, t.seq))`,
};
const FETCHES: Aged = {
  table: 'likers_fetches',
  id: 'id',
  time: 'requested_at',
  over: `EXISTS (SELECT 1 FROM likers_fetches AS n
    WHERE n.challenge_id = t.challenge_id AND (n.requested_at, n.id) > (t.requested_at, t.id)
      AND (n.status = 'succeeded' OR t.status <> 'succeeded'))`,
};

interface Window {
  readonly last: number;
  readonly next: number | null;
}

/** An empty one, the last, when nothing in it is old enough. */
function* windowFrom(sql: Sql, { table, id, time }: Aged, before: number, from: number): Work<Window> {
  const text = `SELECT max(id) AS last, CASE count(*) WHEN ${BULK_ROWS} THEN max(id) END AS next
    FROM (SELECT ${id} AS id, ${time} AS time FROM ${table} WHERE ${id} > ? ORDER BY ${id} LIMIT ${BULK_ROWS}) AS oldest
    HAVING min(time) < ?`;
  return (yield* sql.get<Window>(text, from, before)) ?? { last: from, next: null };
}

function* purgeAged(sql: Sql, aged: Aged, before: number, from: number): Work<PurgeStep> {
  const { last, next } = yield* windowFrom(sql, aged, before, from);
  const { table, id, time, over } = aged;
  const text = `DELETE FROM ${table} AS t WHERE t.${id} > ? AND t.${id} <= ? AND t.${time} < ? AND ${over}`;
  return { removed: yield* sql.run(text, from, last, before), next };
}

/** One fetch at a time, since it may have thousands of likers: the fetch itself goes after the last of them. */
function* purgeLikers(sql: Sql, before: number, from: number): Work<PurgeStep> {
  const { last, next } = yield* windowFrom(sql, FETCHES, before, from);
  const fetch = yield* sql.get<{ id: number }>(
    `SELECT t.id FROM likers_fetches AS t
      WHERE t.id > ? AND t.id <= ? AND t.requested_at < ? AND ${FETCHES.over} ORDER BY t.id LIMIT 1 FOR UPDATE OF t`,
    from,
    last,
    before,
  );
  if (fetch === undefined) return { removed: 0, next };
  const likers = yield* sql.run(piece('likers', 'id', 'fetch_id = ?'), fetch.id);
  if (likers === BULK_ROWS) return { removed: likers, next: from };
  return { removed: likers + (yield* sql.run('DELETE FROM likers_fetches WHERE id = ?', fetch.id)), next: from };
}

/** What an index by age finds: every step begins again. */
function* purgeIndexed(sql: Sql, text: string, before: number | string): Work<PurgeStep> {
  const changes = yield* sql.run(text, before);
  return { removed: changes, next: changes === BULK_ROWS ? 0 : null };
}

const EXPIRED = 'expires_at < ? ORDER BY expires_at';
const CONNECTIONS = piece('connection_requests', 'id', EXPIRED);
const UNCONNECTED = piece('connection_requests', 'id', `status <> 'connected' AND ${EXPIRED}`);
const USAGE = piece('usage', 'caller_key, period', 'period < ? ORDER BY period');
// The lock waits for a claim of an expired key, and leaves that key alone then.
const IDEMPOTENCY = piece('idempotency_keys', 'key', EXPIRED, 'FOR UPDATE');
const AUDIT = piece('audit_log', 'id', 'at < ? ORDER BY at');

const STEPS: Readonly<Record<RetainedKind, (sql: Sql, before: Date, from: number) => Work<PurgeStep>>> = {
  deliveries: (sql, before, from) => purgeAged(sql, DELIVERIES, millis(before), from),
  jobs: (sql, before, from) => purgeAged(sql, JOBS, millis(before), from),
  metrics: (sql, before, from) => purgeAged(sql, METRICS, millis(before), from),
  likers: (sql, before, from) => purgeLikers(sql, millis(before), from),
  connections: (sql, before) => purgeIndexed(sql, CONNECTIONS, millis(before)),
  unconnected: (sql, before) => purgeIndexed(sql, UNCONNECTED, millis(before)),
  usage: (sql, before) => purgeIndexed(sql, USAGE, before.toISOString().slice(0, 7)),
  idempotency: (sql, before) => purgeIndexed(sql, IDEMPOTENCY, millis(before)),
  audit: (sql, before) => purgeIndexed(sql, AUDIT, millis(before)),
  leftovers: purgePiece,
};

export function createRetentionStore(connection: SqlConnection): RetentionStore {
  return {
    purge: (kind, before, from) => connection.write((sql) => STEPS[kind](sql, before, from)),
  };
}

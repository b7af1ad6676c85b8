import type { Attempt, NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import { isRewarded, rulesOf } from '../../core/engagement/attempts/states.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type {
  AttemptStore,
  ChallengeSummary,
  CreateAttemptResult,
  ParticipantRow,
  PendingOutbox,
} from '../../core/ports/attempt-store.ts';
import {
  ATTEMPT_COLUMNS,
  type AttemptRow,
  CHANGING_COLUMNS,
  changingValues,
  toAttempt,
  toOutboxEntry,
} from './attempt-rows.ts';
import { AWAITING_JOBS, AWAITING_RECHECK } from './attempt-states.ts';
import type { Connection, Sql } from './database.ts';
import { acknowledge, createOutboxLeases, type OutboxRow, toPending } from './outbox-leases.ts';
import { readOverdue } from './overdue-attempts.ts';
import { type OrderedList, readPage } from './pages.ts';
import { behind, millis, pageOf, toWaiting, type Value, type WaitingRow } from './values.ts';

const INSERT = `INSERT INTO attempts (user_id, challenge_id, created_at, ${CHANGING_COLUMNS.join(', ')})
  VALUES (?, ?, ?, ${CHANGING_COLUMNS.map(() => '?').join(', ')})`;
const TRANSITION = `UPDATE attempts SET ${CHANGING_COLUMNS.map((column) => `${column} = ?`).join(', ')}
  WHERE id = ? AND revision = ?`;

// Reads no further than the oldest entries, however many there are.
const PENDING = `SELECT attempt_id AS attemptId, entry FROM attempt_outbox WHERE attempt_id IN (
    SELECT attempt_id FROM attempt_outbox oldest WHERE NOT EXISTS (
      SELECT 1 FROM attempt_outbox WHERE attempt_id = oldest.attempt_id AND seq < oldest.seq)
    ORDER BY seq LIMIT ?)
  ORDER BY seq`;

const BY_ID: Omit<OrderedList, 'where'> = {
  select: `SELECT ${ATTEMPT_COLUMNS}, coalesce(c.external_id, '') AS externalId, c.display_name AS displayName,
      (SELECT handle FROM social_accounts s WHERE s.creator_id = a.user_id AND s.platform = ?
        ORDER BY s.disconnected_at IS NOT NULL, s.connected_at DESC, s.id DESC LIMIT 1) AS platformUsername
    FROM attempts a LEFT JOIN creators c ON c.id = a.user_id`,
  from: 'attempts a',
  order: ['a.id'],
  direction: 'ASC',
};
const PARTICIPANTS: OrderedList = { ...BY_ID, where: 'a.challenge_id = ?' };
const IN_STATE: OrderedList = { ...BY_ID, where: 'a.challenge_id = ? AND a.state = ?' };

interface StateCount {
  readonly state: Attempt['state'];
  readonly attempts: number;
  readonly verified: number;
  readonly points: number;
}

interface ParticipantColumns extends AttemptRow {
  readonly externalId: string;
  readonly displayName: string | null;
  readonly platformUsername: string | null;
}

export function createAttemptStore(connection: Connection): AttemptStore {
  return {
    create: (attempt, outbox) => connection.write((sql) => create(sql, attempt, () => outbox)),

    createMany: (attempts) =>
      connection.writeMany(attempts, (sql, some) => some.map(({ attempt, outbox }) => create(sql, attempt, outbox))),

    find: (id) => connection.read((sql) => findOne(sql, 'a.id = ?', id)),
    findByCreator: (challengeId, userId) =>
      connection.read((sql) => findOne(sql, 'a.challenge_id = ? AND a.user_id = ?', challengeId, userId)),

    transition: (before, after, outbox) =>
      connection.write((sql) => {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('A transition keeps the id and counts the revision up by one.');
        }
        const { changes } = sql.run(TRANSITION, ...changingValues(after), before.id, before.revision);
        if (changes === 0) return false;
        appendOutbox(sql, before.id, outbox);
        return true;
      }),

    creatorsWithAttempt: (challengeId, userIds) =>
      connection.read((sql) => {
        const rows = sql.all<{ userId: number }>(
          `SELECT user_id AS userId FROM attempts
            WHERE challenge_id = ? AND user_id IN (SELECT value FROM json_each(?) WHERE type = 'integer')`,
          challengeId,
          JSON.stringify(userIds),
        );
        return new Set(rows.map((row) => row.userId));
      }),

    async participants(challengeId, platform, filter, page) {
      const { state } = filter;
      const list = state === undefined ? PARTICIPANTS : IN_STATE;
      const values = state === undefined ? [challengeId] : [challengeId, state];
      const found = await connection.read((sql) => readPage<ParticipantColumns>(sql, list, values, page, [platform]));
      return pageOf(
        found,
        (row): ParticipantRow => ({
          attempt: toAttempt(row),
          externalId: row.externalId,
          displayName: row.displayName,
          platform,
          platformUsername: row.platformUsername,
        }),
      );
    },

    summary: (challengeId) => connection.read((sql) => summarise(sql, challengeId)),

    overdue: (now, limit, afterId = 0) => connection.read((sql) => readOverdue(sql, millis(now), limit, afterId)),

    awaitingJobs: (since, limit, after) =>
      connection.read((sql) =>
        sql
          .all<WaitingRow<Pick<Attempt, 'state'>>>(
            `SELECT id, state, updated_at AS since FROM attempts
            WHERE ${AWAITING_JOBS} AND updated_at < ? AND (updated_at, id) > (?, ?)
            ORDER BY updated_at, id LIMIT ?`,
            millis(since),
            ...behind(after),
            limit,
          )
          .map(toWaiting),
      ),

    dueForRecheck: (now, limit) =>
      connection.read((sql) =>
        sql
          .all<AttemptRow>(
            `SELECT ${ATTEMPT_COLUMNS} FROM attempts a
              WHERE a.recheck_at <= ? AND a.recheck_at IS NOT NULL AND a.${AWAITING_RECHECK}
              ORDER BY a.recheck_at, a.id LIMIT ?`,
            millis(now),
            limit,
          )
          .map(toAttempt),
      ),

    pendingOutbox: (limit) =>
      connection.read((sql): PendingOutbox[] => {
        return toPending(sql.all<OutboxRow>(PENDING, limit));
      }),

    outboxOf: (attemptId) => connection.read((sql) => readOutbox(sql, attemptId)),

    acknowledgeOutbox: (handedOver) => connection.write((sql) => acknowledge(sql, handedOver)),

    outboxLeases: createOutboxLeases(connection),
  };
}

function findOne(sql: Sql, where: string, ...values: readonly Value[]): Attempt | null {
  const row = sql.get<AttemptRow>(`SELECT ${ATTEMPT_COLUMNS} FROM attempts a WHERE ${where}`, ...values);
  return row === undefined ? null : toAttempt(row);
}

function create(
  sql: Sql,
  attempt: NewAttempt,
  outbox: (attemptId: number) => readonly OutboxEntry[],
): CreateAttemptResult {
  const existing = findOne(sql, 'a.challenge_id = ? AND a.user_id = ?', attempt.challengeId, attempt.userId);
  if (existing !== null) return { kind: 'exists', attempt: existing };
  if (sql.get('SELECT 1 FROM challenges WHERE id = ?', attempt.challengeId) === undefined) {
    return { kind: 'challenge-gone' };
  }
  const values = changingValues(attempt);
  const { id } = sql.run(INSERT, attempt.userId, attempt.challengeId, millis(attempt.createdAt), ...values);
  appendOutbox(sql, id, outbox(id));
  const stored = findOne(sql, 'a.id = ?', id);
  if (stored === null) throw new Error('An attempt that was just inserted is missing.');
  return { kind: 'created', attempt: stored };
}

function appendOutbox(sql: Sql, attemptId: number, entries: readonly OutboxEntry[]): void {
  for (const entry of entries) {
    sql.run(
      'INSERT INTO attempt_outbox (attempt_id, entry_id, entry) VALUES (?, ?, ?)',
      attemptId,
      entry.id,
      JSON.stringify(entry),
    );
  }
}

function readOutbox(sql: Sql, attemptId: number): OutboxEntry[] {
  return sql
    .all<{ entry: string }>('SELECT entry FROM attempt_outbox WHERE attempt_id = ? ORDER BY seq', attemptId)
    .map((row) => toOutboxEntry(row.entry));
}

function summarise(sql: Sql, challengeId: number): ChallengeSummary {
  const rows = sql.all<StateCount>(
    `SELECT state, count(*) AS attempts, count(verified_at) AS verified, sum(points_awarded) AS points FROM attempts
      WHERE challenge_id = ? GROUP BY state ORDER BY state`,
    challengeId,
  );
  const sum = (of: (row: StateCount) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    byState: Object.fromEntries(rows.map((row) => [row.state, row.attempts])),
    totalAttempts: sum((row) => row.attempts),
    totalVerified: sum((row) => row.verified),
    totalRewarded: sum((row) => (isRewarded(rulesOf(row.state)) ? row.attempts : 0)),
    totalPointsIssued: sum((row) => row.points),
  };
}

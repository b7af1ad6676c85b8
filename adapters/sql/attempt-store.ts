import type { Attempt, NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import { wasErased } from '../../core/engagement/creators/erased.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import { gathered } from '../../core/gather.ts';
import {
  type AttemptStore,
  type BrandPoints,
  type CreateAttemptResult,
  type ParticipantRow,
  type RewardsOf,
  summaryOf,
} from '../../core/ports/attempt-store.ts';
import type { PendingOutbox } from '../../core/ports/outbox-store.ts';
import { IN_LINE } from './attempt-states.ts';
import { type Counted, countByTime } from './count-by-time.ts';
import { readDue } from './due-attempts.ts';
import { readLeaderboard } from './leaderboard.ts';
import { appendOutbox } from './outbox.ts';
import { all, type Condition, equals, readPage, when } from './pages.ts';
import { ATTEMPTS, CHALLENGES, CREATORS } from './tables.ts';
import { writeMany } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

type Participant = Pick<ParticipantRow, 'externalId' | 'displayName' | 'platformUsername'>;
const UNKNOWN: Participant = { externalId: '', displayName: null, platformUsername: null };
const PARTICIPANTS = `SELECT id, external_id AS "externalId", display_name AS "displayName",
    (SELECT handle FROM social_accounts s WHERE s.creator_id = c.id AND s.platform = ?
      ORDER BY s.disconnected_at IS NOT NULL, s.connected_at DESC, s.id DESC LIMIT 1) AS "platformUsername"
  FROM creators c WHERE id IN (?)`;

export function createAttemptStore(connection: SqlConnection): AttemptStore {
  const byId = ATTEMPTS.finder(connection, 'id');
  const transition = gathered((moves: readonly Move[]) => connection.write((sql) => makeMoves(sql, moves)));
  return {
    create: (attempts) => writeMany(connection, attempts, create),

    find: async (which) => {
      if (typeof which === 'number') return (await byId(which))[0] ?? null;
      return connection.read((sql) => ATTEMPTS.find(sql, OF_CREATOR, which.challengeId, which.userId));
    },

    async transition(before, after, outbox) {
      if (after.id !== before.id || after.revision !== before.revision + 1) {
        throw new RangeError('A transition keeps the id and counts the revision up by one.');
      }
      return (await transition({ after, outbox })) ?? false;
    },

    creatorsWithAttempt: (challengeId, userIds) =>
      connection.read(function* (sql) {
        const rows = yield* sql.all<{ userId: number }>(
          'SELECT user_id AS "userId" FROM attempts WHERE challenge_id = ? AND user_id IN (?)',
          challengeId,
          new Among(userIds.filter(Number.isSafeInteger)),
        );
        return new Set(rows.map((row) => row.userId));
      }),

    participants: (challengeId, platform, { state, signal, held, userIds, sort = 'id' }, page) =>
      connection.read(function* (sql) {
        const chosen = all(
          // The plus keeps the planner from walking over the whole challenge in the order of the list.
          equals({ [userIds ? '+challenge_id' : 'challenge_id']: challengeId, state }),
          // Both columns are JSON, in which quotation marks within texts are escaped.
          signal && when('signals LIKE ?', `%"${signal}"%`),
          held && when('held LIKE ?', `%"why":"${held}"%`),
          userIds && when('user_id IN (?)', new Among(userIds.filter(Number.isSafeInteger))),
        );
        const { items, total } = yield* readPage(sql, ATTEMPTS, sort, chosen, page);
        const ids = new Among(items.map(({ userId }) => userId));
        const found = yield* sql.all<Participant & { readonly id: number }>(PARTICIPANTS, platform, ids);
        const creators = new Map(found.map(({ id, ...creator }) => [id, creator]));
        const toRow = (attempt: Attempt) => ({ attempt, platform, ...(creators.get(attempt.userId) ?? UNKNOWN) });
        return { items: items.map(toRow), total };
      }),

    ofCreator: (userId, page, only) =>
      connection.read((sql) => readPage(sql, ATTEMPTS, '-id', ofUser(userId, only), page)),

    pointsByBrand: (userId, only) =>
      connection.read((sql) => {
        const { where, values } = ofUser(userId, only);
        return sql.all<BrandPoints>(`${POINTS} WHERE ${where} GROUP BY brand_id ORDER BY brand_id`, ...values);
      }),

    leaderboard: (brandId, page) => connection.read((sql) => readLeaderboard(sql, brandId, page)),

    summary: (challengeId) =>
      connection.read(function* (sql) {
        return summaryOf(yield* sql.all(SUMMARY, challengeId));
      }),

    async series(range, { challengeId, brandId }) {
      // The plus keeps planners to the index by time.
      const ofChallenge = equals({ '+challenge_id': challengeId });
      const only = all(ofChallenge, brandId !== undefined && when(OF_BRAND, brandId));
      const counted = SERIES.map((each) => countByTime(connection, range, { table: 'attempts', ...each, only }));
      return (await Promise.all(counted)).flat();
    },

    inLine: (challengeId, limit) =>
      connection.read((sql) =>
        ATTEMPTS.select(sql, `${LINE} AND challenge_id = ? ORDER BY verified_at, id LIMIT ?`, challengeId, limit),
      ),

    challengesInLine: (after, limit) =>
      connection.read(function* (sql) {
        const text = `SELECT DISTINCT challenge_id AS id FROM attempts ${LINE} AND challenge_id > ? ORDER BY 1 LIMIT ?`;
        return (yield* sql.all<{ id: number }>(text, after, limit)).map(({ id }) => id);
      }),

    due: (kind, at, limit, after) => connection.read((sql) => readDue(sql, kind, at, limit, after)),
  };
}

function ofUser(userId: number, only: RewardsOf | undefined): Condition {
  const of = only?.rewardedBy;
  return all(
    equals({ user_id: userId }),
    of && when('rewarded_at > 0'),
    typeof of === 'object' && when(OF_BRAND, of.brandId),
  );
}

const POINTS = `SELECT brand_id AS "brandId", sum(points_awarded) AS points FROM attempts
  JOIN challenges ON challenges.id = challenge_id JOIN campaigns ON campaigns.id = campaign_id`;
const SUMMARY = `SELECT state, count(*) AS attempts, count(verified_at) AS verified, sum(points_awarded) AS points FROM attempts
  WHERE challenge_id = ? GROUP BY state ORDER BY state`;
const OF_BRAND = `+challenge_id IN (SELECT challenges.id FROM campaigns JOIN challenges ON campaign_id = campaigns.id
  WHERE brand_id = ?)`;
const SERIES: readonly Pick<Counted, 'time' | 'counts'>[] = [
  { time: 'created_at', counts: { attempts: 'count(*)' } },
  { time: 'verified_at', counts: { verifications: 'count(*)' } },
  { time: 'rewarded_at', counts: { rewards: 'count(*)', points: 'sum(points_awarded)' } },
];
const LINE = `WHERE ${IN_LINE} AND check_at IS NULL`;
const OF_CREATOR = 'WHERE challenge_id = ? AND user_id = ?';
const OF_CREATORS = 'WHERE challenge_id = ? AND user_id IN (?)';

interface Move {
  readonly after: Attempt;
  readonly outbox: readonly OutboxEntry[];
}

/** Makes each move whose attempt is as it was before it: of several of one attempt the first. */
function* makeMoves(sql: Sql, moves: readonly Move[]): Work<ReadonlyMap<Move, boolean>> {
  const locked = 'SELECT id, revision FROM attempts WHERE id IN (?) ORDER BY id FOR UPDATE';
  const ids = new Among(moves.map(({ after }) => after.id));
  const rows = yield* sql.all<Pick<Attempt, 'id' | 'revision'>>(locked, ids);
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]));
  const made = moves.filter(({ after: { id, revision } }) => {
    const isNext = revisions.get(id) === revision - 1;
    return isNext && revisions.delete(id);
  });
  const moved = made.map(({ after }) => after);
  yield* ATTEMPTS.replace(sql, moved);
  const outboxes = made.map(({ after, outbox }) => ({ owner: `attempts:${after.id}`, entries: outbox }) as const);
  yield* appendOutbox(sql, ...outboxes);
  return new Map(made.map((move) => [move, true]));
}

type NewOutbox = Parameters<AttemptStore['create']>[0][number]['outbox'];

function* create(
  sql: Sql,
  given: readonly { readonly attempt: NewAttempt; readonly outbox: NewOutbox }[],
): Work<CreateAttemptResult[]> {
  const [{ challengeId } = { challengeId: 0 }] = given.map(({ attempt }) => attempt);
  if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return given.map(() => ({ kind: 'challenge-gone' }));
  const ids = new Among(given.map(({ attempt }) => attempt.userId));
  const creators = yield* CREATORS.select(sql, 'WHERE id IN (?) ORDER BY id FOR KEY SHARE', ids);
  const erased = new Set(creators.filter(wasErased).map(({ id }) => id));
  const attempts = given.map(({ attempt }) => attempt).filter(({ userId }) => !erased.has(userId));
  const made = yield* ATTEMPTS.insertNew(sql, attempts, '(challenge_id, user_id)');
  const created = new Map(made.map((one) => [one.userId, one]));
  const others = attempts.map(({ userId }) => userId).filter((id) => !created.has(id));
  const found = others.length === 0 ? [] : yield* ATTEMPTS.select(sql, OF_CREATORS, challengeId, new Among(others));
  const stored = new Map(found.map((one) => [one.userId, one]));
  const outboxes: PendingOutbox[] = [];
  const results = given.map(({ attempt: { userId }, outbox }): CreateAttemptResult => {
    if (erased.has(userId)) return { kind: 'challenge-gone' };
    const attempt = created.get(userId);
    const existing = stored.get(userId);
    if (attempt === undefined && existing !== undefined) return { kind: 'exists', attempt: existing };
    if (attempt === undefined) throw new Error('An attempt that was just created is missing.');
    created.delete(userId);
    stored.set(userId, attempt);
    outboxes.push({ owner: `attempts:${attempt.id}`, entries: outbox(attempt.id) });
    return { kind: 'created', attempt };
  });
  yield* appendOutbox(sql, ...outboxes);
  return results;
}

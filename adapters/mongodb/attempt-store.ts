import type { Filter } from 'mongodb';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../core/engagement/attempts/deadline.ts';
import { isBeingVerified, statesThatTake, statesWhere } from '../../core/engagement/attempts/states.ts';
import {
  type AttemptStore,
  type BrandPoints,
  type ChallengeSummary,
  type CreateAttemptResult,
  type DueKind,
  type RewardsOf,
  type StateCount,
  summaryOf,
} from '../../core/ports/attempt-store.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { createAttempts, transitionUpdate } from './attempt-writes.ts';
import { countByTime } from './count-by-time.ts';
import type { DocumentOf } from './documents.ts';
import { ANY_DATE } from './indexes.ts';
import type { Database } from './items.ts';
import { readLeaderboard } from './leaderboard.ts';
import { waitingIn } from './pages.ts';
import { participants } from './participants.ts';
import { chunks, equals, integer, near } from './values.ts';

// Named one by one, so that an index finds them: final ones grow in number forever.
const BEING_VERIFIED = { $in: statesWhere(isBeingVerified) };
const IDLE = { $in: statesWhere((rules) => rules.open && !isBeingVerified(rules)) };
const AWAITING_JOBS = { $in: statesWhere(({ awaits }) => awaits !== null) };
const AWAITING_RECHECK = { $in: statesThatTake('recheck') };

const IN_LINE = { 'held.why': 'limit', checkAt: null } as const;

type AttemptFilter = Filter<DocumentOf<'attempts'>>;

export function createAttemptStore(db: Database): AttemptStore {
  const { attempts } = db;
  const byId = attempts.finderById();
  return {
    async create(inputs) {
      const results: CreateAttemptResult[] = [];
      for (const some of chunks(inputs)) results.push(...(await createAttempts(db, some)));
      return results;
    },

    async find(which) {
      if (typeof which === 'number') return byId(which);
      return attempts.find(equals({ challengeId: which.challengeId, userId: which.userId }));
    },

    async transition(before, after, outbox) {
      if (after.id !== before.id || after.revision !== integer(before.revision) + 1) {
        throw new RangeError('A transition keeps the id and counts the revision up by one.');
      }
      const filter = equals({ _id: after.id, revision: before.revision });
      return attempts.updateTogether({ filter, ...transitionUpdate(after, outbox) });
    },

    async creatorsWithAttempt(challengeId, userIds) {
      const [asked, found] = [new Set(userIds), new Set<number>()];
      for (const chunk of chunks(userIds)) {
        const those = { challengeId: integer(challengeId), userId: near(chunk) };
        const stored = attempts.raw.find(those, { projection: { _id: 0, userId: 1 } });
        for (const { userId } of await stored.toArray()) if (asked.has(userId)) found.add(userId);
      }
      return found;
    },

    participants: (challengeId, platform, filter, page) => participants(db, challengeId, platform, filter, page),

    ofCreator: async (userId, page, only) => attempts.page(await ofUser(db, userId, only), '-id', page),

    pointsByBrand: async (userId, only) => pointsByBrand(db, await ofUser(db, userId, only)),

    leaderboard: (brandId, page) => readLeaderboard(db, brandId, page),

    summary: (challengeId) => summarise(db, integer(challengeId)),

    async series(range, { challengeId, brandId }) {
      const one = equals({}, { challengeId });
      const match = brandId === undefined ? one : { $and: [one, await ofBrand(db, integer(brandId))] };
      return (await Promise.all(SERIES.map((each) => countByTime(db, 'attempts', range, { ...each, match })))).flat();
    },

    inLine: (challengeId, limit) =>
      attempts.list(
        { ...IN_LINE, challengeId: integer(challengeId) },
        { sort: { verifiedAt: 1, _id: 1 }, limit: integer(limit) },
      ),

    async challengesInLine(after, limit) {
      const found = attempts.raw.aggregate<{ _id: number }>([
        { $match: { ...IN_LINE, challengeId: { $gt: integer(after) } } },
        { $group: { _id: '$challengeId' } },
        { $sort: { _id: 1 } },
        { $limit: integer(limit) },
      ]);
      return (await found.toArray()).map(({ _id }) => _id);
    },

    async due(kind, at, limit, after) {
      const { filter, sort } = DUE[kind];
      return attempts.list(await filter(db, at, after), { sort, limit: integer(limit) });
    },
  };
}

const SERIES = [
  { time: 'createdAt', name: { $literal: 'attempts' }, count: 1 },
  { time: 'verifiedAt', name: { $literal: 'verifications' }, count: 1 },
  { time: 'rewardedAt', name: { $literal: 'rewards' }, count: 1 },
  { time: 'rewardedAt', name: { $literal: 'points' }, count: '$pointsAwarded' },
];

async function ofBrand(db: Database, brandId: number): Promise<AttemptFilter> {
  return { challengeId: { $in: await db.campaigns.raw.distinct('challenge.id', { brandId }) } };
}

async function ofUser(db: Database, userId: number, only?: RewardsOf): Promise<AttemptFilter> {
  const own = { userId: integer(userId) };
  if (only === undefined) return own;
  const rewarded = { ...own, rewardedAt: ANY_DATE };
  return only.rewardedBy === 'all'
    ? rewarded
    : { ...rewarded, ...(await ofBrand(db, integer(only.rewardedBy.brandId))) };
}

async function pointsByBrand(db: Database, $match: AttemptFilter): Promise<readonly BrandPoints[]> {
  const $group = { _id: '$challengeId', points: { $sum: '$pointsAwarded' } };
  const rows = await db.attempts.raw.aggregate<{ _id: number; points: number }>([{ $match }, { $group }]).toArray();
  const those = { 'challenge.id': { $in: rows.map(({ _id }) => _id) } };
  const found = db.campaigns.raw.find(those, { projection: { brandId: 1, 'challenge.id': 1 } });
  const brands = new Map((await found.toArray()).map(({ challenge, brandId }) => [challenge.id, brandId]));
  const points = new Map<number, number>();
  for (const row of rows) {
    const brandId = brands.get(row._id);
    if (brandId !== undefined) points.set(brandId, (points.get(brandId) ?? 0) + row.points);
  }
  return [...points].map(([brandId, sum]) => ({ brandId, points: sum })).sort((a, b) => a.brandId - b.brandId);
}

interface Due {
  filter(db: Database, at: Date, after: WaitingCursor | undefined): Promise<AttemptFilter>;
  readonly sort: Readonly<Record<string, 1>>;
}

const DUE: Readonly<Record<DueKind, Due>> = {
  expiry: { filter: overdue, sort: { _id: 1 } },
  job: {
    filter: async (_, at, after) => ({
      held: null,
      state: AWAITING_JOBS,
      ...waitingIn('updatedAt', { $lt: at }, after),
    }),
    sort: { updatedAt: 1, _id: 1 },
  },
  recheck: {
    filter: async (_, at, after) => ({ state: AWAITING_RECHECK, ...waitingIn('recheck.at', { $lte: at }, after) }),
    sort: { 'recheck.at': 1, _id: 1 },
  },
  check: {
    filter: async (_, at, after) => waitingIn('checkAt', { ...ANY_DATE, $lte: at }, after),
    sort: { checkAt: 1, _id: 1 },
  },
};

async function overdue(db: Database, now: Date, after: WaitingCursor | undefined): Promise<AttemptFilter> {
  const patient = new Date(now.getTime() - PENDING_GRACE_MS);
  const ended = await campaignsEnded(db, now, patient);
  // Not on the first page: most calls have no other, and ids would bring the index of all attempts into question.
  const later = after === undefined ? {} : { _id: { $gt: integer(after.id) } };
  const endedLong = ended.filter(({ endsAt }) => endsAt !== null && endsAt <= patient);
  return {
    $or: [
      { ...later, state: IDLE, verificationDeadline: { ...ANY_DATE, $lt: now } },
      { ...later, state: BEING_VERIFIED, verificationDeadline: { ...ANY_DATE, $lte: patient } },
      { ...later, ...at(ended), state: IDLE, verificationDeadline: { $gte: now } },
      { ...later, ...at(endedLong), state: BEING_VERIFIED, verificationDeadline: { $gt: patient } },
    ],
  };
}

type EndedCampaign = Pick<DocumentOf<'campaigns'>, 'challenge' | 'endsAt'>;

/** Campaigns that ended before `now`, as far back as deadlines set before the end may be later than `patient`. */
async function campaignsEnded(db: Database, now: Date, patient: Date): Promise<EndedCampaign[]> {
  const since = new Date(patient.getTime() - VERIFICATION_WINDOW_MS);
  const ended = { endsAt: { $gte: since, $lt: now } };
  return db.campaigns.raw.find(ended, { projection: { 'challenge.id': 1, endsAt: 1 } }).toArray();
}

function at(campaigns: readonly Pick<EndedCampaign, 'challenge'>[]): AttemptFilter {
  return { challengeId: { $in: campaigns.map(({ challenge }) => challenge.id) } };
}

async function summarise(db: Database, challengeId: number): Promise<ChallengeSummary> {
  const rows = await db.attempts.raw
    .aggregate<StateCount>([
      { $match: { challengeId } },
      {
        $group: {
          _id: '$state',
          attempts: { $sum: 1 },
          verified: { $sum: { $cond: [{ $ne: ['$verifiedAt', null] }, 1, 0] } },
          points: { $sum: '$pointsAwarded' },
        },
      },
      { $sort: { _id: 1 } },
      { $project: { _id: 0, state: '$_id', attempts: 1, verified: 1, points: 1 } },
    ])
    .toArray();
  return summaryOf(rows);
}

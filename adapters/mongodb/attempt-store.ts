import type { Db, Filter } from 'mongodb';
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../core/engagement/attempts/deadline.ts';
import { isBeingVerified, statesThatTake, statesWhere } from '../../core/engagement/attempts/states.ts';
import {
  type AttemptStore,
  type ChallengeSummary,
  type CreateAttemptResult,
  type DueKind,
  type StateCount,
  summaryOf,
} from '../../core/ports/attempt-store.ts';
import type { WaitingCursor } from '../../core/ports/waiting.ts';
import { createAttempts } from './attempt-creation.ts';
import { toAttempt, transitionUpdate } from './attempt-documents.ts';
import { countByTime } from './count-by-time.ts';
import type { Connection } from './database.ts';
import { type AttemptDocument, type CampaignDocument, collection } from './documents.ts';
import { ANY_DATE } from './indexes.ts';
import { readPage, waitingIn } from './pages.ts';
import { participants } from './participants.ts';
import { repeatOnClash } from './repeat.ts';
import { chunks, instant, integer, near } from './values.ts';

// Named one by one, so that an index finds them: final ones grow in number forever.
const BEING_VERIFIED = { $in: statesWhere(isBeingVerified) };
const IDLE = { $in: statesWhere((rules) => rules.open && !isBeingVerified(rules)) };
const AWAITING_JOBS = { $in: statesWhere(({ awaits }) => awaits !== null) };
const AWAITING_RECHECK = { $in: statesThatTake('recheck') };

export function createAttemptStore(connection: Connection): AttemptStore {
  return {
    create: (attempts) =>
      connection.run(async (db) => {
        const results: CreateAttemptResult[] = [];
        for (const some of chunks(attempts)) results.push(...(await createAttempts(db, some)));
        return results;
      }),

    find: (which) =>
      connection.run(async (db) => {
        const filter =
          typeof which === 'number'
            ? { _id: integer(which) }
            : { challengeId: integer(which.challengeId), userId: integer(which.userId) };
        const found = await collection(db, 'attempts').findOne(filter);
        return found === null ? null : toAttempt(found);
      }),

    transition: (before, after, outbox) =>
      connection.run(async (db) => {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('A transition keeps the id and counts the revision up by one.');
        }
        const unchanged = { _id: integer(before.id), revision: integer(before.revision) };
        const update = transitionUpdate(after, outbox);
        const { matchedCount } = await repeatOnClash(() => collection(db, 'attempts').updateOne(unchanged, update));
        return matchedCount === 1;
      }),

    creatorsWithAttempt: (challengeId, userIds) =>
      connection.run(async (db) => {
        const [asked, found] = [new Set(userIds), new Set<number>()];
        for (const chunk of chunks(userIds)) {
          const attempts = await collection(db, 'attempts')
            .find({ challengeId: integer(challengeId), userId: near(chunk) })
            .project<Pick<AttemptDocument, 'userId'>>({ _id: 0, userId: 1 })
            .toArray();
          for (const { userId } of attempts) if (asked.has(userId)) found.add(userId);
        }
        return found;
      }),

    participants: (challengeId, platform, filter, page) =>
      connection.run((db) => participants(db, challengeId, platform, filter, page)),

    ofCreator: (userId, page) =>
      connection.run(async (db) => {
        const attempts = collection(db, 'attempts');
        const { items, total } = await readPage(attempts, { userId: integer(userId) }, { direction: -1 }, page);
        return { items: items.map(toAttempt), total };
      }),

    summary: (challengeId) => connection.run((db) => summarise(db, integer(challengeId))),

    series: (range, { challengeId, brandId }) =>
      connection.run(async (db) => {
        const one = challengeId === undefined ? {} : { challengeId: integer(challengeId) };
        const match = brandId === undefined ? one : { $and: [one, await ofBrand(db, integer(brandId))] };
        const counted = SERIES.map((each) => countByTime(db, range, 'attempts', { ...each, match }));
        return (await Promise.all(counted)).flat();
      }),

    due: (kind, at, limit, after) =>
      connection.run(async (db) => {
        const filter = await DUE[kind].filter(db, instant(at), after);
        const found = collection(db, 'attempts').find(filter).sort(DUE[kind].sort).limit(integer(limit));
        return (await found.toArray()).map(toAttempt);
      }),
  };
}

const SERIES = [
  { time: 'createdAt', name: { $literal: 'attempts' }, count: 1 },
  { time: 'verifiedAt', name: { $literal: 'verifications' }, count: 1 },
  { time: 'rewardedAt', name: { $literal: 'rewards' }, count: 1 },
  { time: 'rewardedAt', name: { $literal: 'points' }, count: '$pointsAwarded' },
];

async function ofBrand(db: Db, brandId: number): Promise<Filter<AttemptDocument>> {
  return at(
    await collection(db, 'campaigns')
      .find({ brandId })
      .project<Pick<CampaignDocument, 'challenge'>>({ 'challenge.id': 1 })
      .toArray(),
  );
}

interface Due {
  filter(db: Db, at: Date, after: WaitingCursor | undefined): Promise<Filter<AttemptDocument>>;
  readonly sort: Readonly<Record<string, 1>>;
}

const DUE: Readonly<Record<DueKind, Due>> = {
  expiry: { filter: overdue, sort: { _id: 1 } },
  job: {
    filter: async (_, at, after) => ({ state: AWAITING_JOBS, ...waitingIn('updatedAt', { $lt: at }, after) }),
    sort: { updatedAt: 1, _id: 1 },
  },
  recheck: {
    filter: async (_, at, after) => ({ state: AWAITING_RECHECK, ...waitingIn('recheck.at', { $lte: at }, after) }),
    sort: { 'recheck.at': 1, _id: 1 },
  },
};

async function overdue(db: Db, now: Date, after: WaitingCursor | undefined): Promise<Filter<AttemptDocument>> {
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

type EndedCampaign = Pick<CampaignDocument, 'challenge' | 'endsAt'>;

/** Campaigns that ended before `now`, as far back as deadlines set before the end may be later than `patient`. */
async function campaignsEnded(db: Db, now: Date, patient: Date): Promise<EndedCampaign[]> {
  return await collection(db, 'campaigns')
    .find({ endsAt: { $gte: new Date(patient.getTime() - VERIFICATION_WINDOW_MS), $lt: now } })
    .project<EndedCampaign>({ 'challenge.id': 1, endsAt: 1 })
    .toArray();
}

function at(campaigns: readonly Pick<CampaignDocument, 'challenge'>[]): Filter<AttemptDocument> {
  return { challengeId: { $in: campaigns.map(({ challenge }) => challenge.id) } };
}

async function summarise(db: Db, challengeId: number): Promise<ChallengeSummary> {
  const rows = await collection(db, 'attempts')
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

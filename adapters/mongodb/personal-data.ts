/** What is stored about a creator, to be handed out or erased: the same filters find it for both. */
import type { Filter } from 'mongodb';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
import type { SocialAccount } from '../../core/engagement/creators/creator.ts';
import {
  bodyMark,
  ERASED,
  ERASED_BODY,
  erasedAccount,
  erasedAttempt,
  erasedCreator,
  isUnderWay,
  type OwnKeys,
  ownKeys,
} from '../../core/engagement/creators/erased.ts';
import type { Erasure, ErasureResult, PersonalData, PersonalDataStore } from '../../core/ports/personal-data-store.ts';
import { transitionUpdate } from './attempt-writes.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { chunks, integer } from './values.ts';

const BY_ID = { sort: { _id: 1 } } as const;

export function personalDataStore(db: Database): PersonalDataStore {
  return {
    personalData: (userId) => personalData(db, integer(userId)),
    erase: (erasure) => erase(db, { ...erasure, userId: integer(erasure.userId) }),
  };
}

async function personalData(db: Database, userId: number): Promise<PersonalData | null> {
  const creator = await db.creators.find({ _id: userId });
  if (creator === null) return null;
  const { externalId } = creator;
  const accounts = await accountsOf(db, userId);
  const attempts = await attemptsOf(db, userId);
  const comments: PersonalData['comments'][number][] = [];
  const likes: PersonalData['likes'][number][] = [];
  await inChallenges(db, await keysOf(db, accounts, userId), async (ofComments, ofLikers) => {
    comments.push(...(await db.comments.list(ofComments)));
    if (ofLikers !== null) likes.push(...(await db.likers.list(ofLikers)));
  });
  return {
    creator,
    accounts,
    attempts,
    connectionRequests: await db.connectionRequests.list({ externalId }, { sort: { createdAt: 1 } }),
    comments: byId(comments),
    likes: byId(likes),
    deliveries: await db.deliveries.list(naming(userId, attempts), BY_ID),
  };
}

const byId = <Item extends { readonly id: number }>(items: readonly Item[]) => items.toSorted((a, b) => a.id - b.id);

/** In an order in which each step finds what it needs, also if a call before it was cut short. */
async function erase(db: Database, { userId, suffix, now }: Erasure): Promise<ErasureResult | null> {
  const creator = await db.creators.find({ _id: userId });
  if (creator === null) return null;
  const before = (await attemptsOf(db, userId)).filter(isUnderWay);
  if (before.length > 0) return { kind: 'under-way', attempts: before };
  const { comments, likes } = await eraseChallengeData(db, await keysOf(db, await accountsOf(db, userId), userId));
  const underWay = await eraseAttempts(db, userId);
  if (underWay.length > 0) return { kind: 'under-way', attempts: underWay };
  const { externalId } = creator;
  const erased = erasedCreator(creator, suffix);
  // A registration of this process that began before makes its link before: the link is erased as well.
  await oneAtATime(db, `link ${externalId}`, async () => {
    await db.connectionRequests.deleteAll({ externalId });
    const ofCreator = { role: 'creator' as const, externalId };
    await db.tokens.updateAll({ ...ofCreator, revokedAt: null }, { $set: { revokedAt: now } });
    await db.tokens.updateAll(ofCreator, { $set: { externalId: erased.externalId, name: ERASED } });
    const { id, ...fields } = erased;
    await db.creators.update({ _id: userId }, { $set: fields });
    // Those that were created meanwhile. From now on none are.
    await eraseAttempts(db, userId, () => false);
    for (const account of await accountsOf(db, userId)) {
      const { id: _id, profileData, ...fields } = erasedAccount(account, now);
      const $set = { ...fields, profileData: JSON.stringify(profileData), outbox: [] };
      await db.socialAccounts.update({ _id }, { $set, $unset: { outboxAt: '', follows: '' } });
    }
  });
  const deliveries = await eraseDeliveries(db, naming(userId, await attemptsOf(db, userId)), now);
  return { kind: 'erased', creator: erased, comments, likes, deliveries };
}

const accountsOf = (db: Database, creatorId: number) => db.socialAccounts.list({ creatorId }, BY_ID);

const attemptsOf = (db: Database, userId: number) => db.attempts.list({ userId }, BY_ID);

async function keysOf(db: Database, own: readonly SocialAccount[], userId: number): Promise<readonly OwnKeys[]> {
  const numbers = own.flatMap((one) => one.platformAccountId ?? one.rememberedAccountId ?? []);
  const others = await db.socialAccounts.list({
    creatorId: { $ne: userId },
    disconnectedAt: null,
    $or: [
      { platformUsername: { $in: own.map(({ platformUsername }) => platformUsername) } },
      { platformAccountId: { $in: numbers } },
      { rememberedAccountId: { $in: numbers } },
    ],
  });
  return ownKeys(own, others);
}

/** Does something with the creator's comments and likes, some hundred challenges at a time. */
async function inChallenges(
  db: Database,
  keys: readonly OwnKeys[],
  work: (comments: Filter<DocumentOf<'comments'>>, likers: Filter<DocumentOf<'likers'>> | null) => Promise<void>,
): Promise<void> {
  for (const { platform, numbers, scoped, handles, unnumbered } of keys) {
    if (numbers.length + scoped.length + handles.length + unnumbered.length === 0) continue;
    const [ofNumbers, ofHandles] = [{ $in: [...numbers] }, { $in: [...handles] }];
    for (const some of chunks(await db.campaigns.raw.distinct('challenge.id', { 'challenge.platform': platform }))) {
      const challengeId = { $in: [...some] };
      const fetchId = { $in: await db.likersFetches.ids({ challengeId }) };
      const likers = {
        $or: [
          { fetchId, igUserId: ofNumbers },
          { fetchId, handle: ofHandles },
        ],
      };
      const comments = [
        { challengeId, authorId: ofNumbers },
        { challengeId, scopedAuthorId: { $in: [...scoped] } },
        { challengeId, author: ofHandles },
        { challengeId, author: { $in: [...unnumbered] }, authorId: null },
      ];
      await work({ $or: comments }, fetchId.$in.length === 0 ? null : likers);
    }
  }
}

async function eraseChallengeData(
  db: Database,
  keys: readonly OwnKeys[],
): Promise<{ readonly comments: number; readonly likes: number }> {
  const counts = { comments: 0, likes: 0 };
  const comment = { username: ERASED, author: ERASED, authorId: ERASED, scopedAuthorId: ERASED, commentText: ERASED };
  const names = { username: ERASED, handle: ERASED, fullName: null, profilePicUrl: null };
  await inChallenges(db, keys, async (ofComments, ofLikers) => {
    counts.comments += await db.comments.updateAll(ofComments, { $set: comment });
    if (ofLikers === null) return;
    for (const _id of await db.likers.ids(ofLikers)) {
      const liker = { ...names, isPrivate: false, isVerified: false, igUserId: `erased-${_id}` };
      await db.likers.update({ _id }, { $set: liker });
      counts.likes += 1;
    }
  });
  return counts;
}

/** Returns the attempts that are under way by now; then nothing was changed for them. */
async function eraseAttempts(db: Database, userId: number, waitsFor = isUnderWay): Promise<readonly Attempt[]> {
  for (;;) {
    const attempts = await attemptsOf(db, userId);
    const underWay = attempts.filter(waitsFor);
    if (underWay.length > 0) return underWay;
    let isDone = true;
    for (const attempt of attempts) {
      const after = erasedAttempt(attempt);
      if (after === null) continue;
      const { id: _id, revision } = attempt;
      const { $set } = transitionUpdate(after, []);
      const update = { $set: { ...$set, outbox: [] }, $unset: { outboxAt: '' as const } };
      const isErased = await db.attempts.update({ _id, revision }, update);
      isDone &&= isErased;
    }
    if (isDone) return [];
  }
}

function naming(userId: number, attempts: readonly Attempt[]): Filter<DocumentOf<'deliveries'>> {
  const escaped = bodyMark(userId).replace('{', '\\{');
  return {
    $or: [
      { attemptId: { $in: attempts.map(({ id }) => id) } },
      { event: 'account.connected', body: { $regex: escaped } },
    ],
  };
}

async function eraseDeliveries(
  { deliveries }: Database,
  named: Filter<DocumentOf<'deliveries'>>,
  now: Date,
): Promise<number> {
  const cancelled = { status: 'cancelled' as const, nextTryAt: null, finishedAt: now };
  await deliveries.updateAll({ $and: [named, { status: 'pending' }] }, { $set: cancelled });
  const { modifiedCount } = await deliveries.raw.updateMany(named, {
    $set: { body: ERASED_BODY },
    $unset: { 'tries.$[].response': '' },
  });
  return modifiedCount;
}

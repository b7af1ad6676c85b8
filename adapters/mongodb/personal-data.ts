/** What is stored about a creator, to be handed out or erased: the same filters find it for both. */
import type { Db, Filter } from 'mongodb';
import type { Attempt } from '../../core/engagement/attempts/attempt.ts';
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
import { toAttempt, transitionUpdate } from './attempt-documents.ts';
import type { Connection } from './database.ts';
import {
  type AccountDocument,
  type CommentDocument,
  collection,
  type DeliveryDocument,
  type LikerDocument,
  toAccount,
  withId,
} from './documents.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';
import { chunks, instant, integer } from './values.ts';

export function personalDataStore(connection: Connection): PersonalDataStore {
  return {
    personalData: (userId) => connection.run((db) => personalData(db, integer(userId))),
    erase: (erasure) => connection.run((db) => erase(db, { ...erasure, userId: integer(erasure.userId) })),
  };
}

async function personalData(db: Db, userId: number): Promise<PersonalData | null> {
  const creator = await collection(db, 'creators').findOne({ _id: userId });
  if (creator === null) return null;
  const { externalId } = creator;
  const documents = await accountsOf(db, userId);
  const attempts = await attemptsOf(db, userId);
  const requests = await collection(db, 'connectionRequests').find({ externalId }).sort({ createdAt: 1 }).toArray();
  const comments: PersonalData['comments'][number][] = [];
  const likes: PersonalData['likes'][number][] = [];
  await inChallenges(db, await keysOf(db, documents, userId), async (ofComments, ofLikers) => {
    const found = await collection(db, 'comments').find(ofComments).sort({ _id: 1 }).toArray();
    comments.push(...found.map(({ author, metAt, ...comment }) => withId(comment)));
    if (ofLikers === null) return;
    const likers = await collection(db, 'likers').find(ofLikers).sort({ _id: 1 }).toArray();
    likes.push(...likers.map(({ handle, shared, ...liker }) => withId(liker)));
  });
  const deliveries = await collection(db, 'deliveries').find(naming(userId, attempts)).sort({ _id: 1 }).toArray();
  return {
    creator: withId(creator),
    accounts: documents.map(toAccount),
    attempts,
    connectionRequests: requests.map(({ _id, ...request }) => ({ id: _id, ...request })),
    comments: byId(comments),
    likes: byId(likes),
    deliveries: deliveries.map(({ lease, claim, ...delivery }) => withId(delivery)),
  };
}

const byId = <Item extends { readonly id: number }>(items: readonly Item[]) => items.toSorted((a, b) => a.id - b.id);

/** In an order in which each step finds what it needs, also if a call before it was cut short. */
async function erase(db: Db, { userId, suffix, now }: Erasure): Promise<ErasureResult | null> {
  const creator = await collection(db, 'creators').findOne({ _id: userId });
  if (creator === null) return null;
  const before = (await attemptsOf(db, userId)).filter(isUnderWay);
  if (before.length > 0) return { kind: 'under-way', attempts: before };
  const { comments, likes } = await eraseChallengeData(db, await keysOf(db, await accountsOf(db, userId), userId));
  const underWay = await eraseAttempts(db, userId);
  if (underWay.length > 0) return { kind: 'under-way', attempts: underWay };
  const { externalId } = creator;
  const erased = erasedCreator(withId(creator), suffix);
  // A registration of this process that began before makes its link before: the link is erased as well.
  await oneAtATime(db, `link ${externalId}`, async () => {
    await collection(db, 'connectionRequests').deleteMany({ externalId });
    const tokens = collection(db, 'tokens');
    const ofCreator = { role: 'creator' as const, externalId };
    await tokens.updateMany({ ...ofCreator, revokedAt: null }, { $set: { revokedAt: instant(now) } });
    await tokens.updateMany(ofCreator, { $set: { externalId: erased.externalId, name: ERASED } });
    const { id, ...fields } = erased;
    await collection(db, 'creators').updateOne({ _id: userId }, { $set: fields });
    await eraseAccounts(db, userId, instant(now));
  });
  const deliveries = await eraseDeliveries(db, naming(userId, await attemptsOf(db, userId)), instant(now));
  return { kind: 'erased', creator: erased, comments, likes, deliveries };
}

function accountsOf(db: Db, creatorId: number): Promise<AccountDocument[]> {
  return collection(db, 'socialAccounts').find({ creatorId }).sort({ _id: 1 }).toArray();
}

async function attemptsOf(db: Db, userId: number): Promise<Attempt[]> {
  return (await collection(db, 'attempts').find({ userId }).sort({ _id: 1 }).toArray()).map(toAttempt);
}

async function keysOf(db: Db, documents: readonly AccountDocument[], userId: number): Promise<readonly OwnKeys[]> {
  const handles = documents.map(({ platformUsername }) => platformUsername);
  const numbers = documents.flatMap((one) => one.platformAccountId ?? one.rememberedAccountId ?? []);
  const others = await collection(db, 'socialAccounts')
    .find({
      creatorId: { $ne: userId },
      disconnectedAt: null,
      $or: [
        { platformUsername: { $in: handles } },
        { platformAccountId: { $in: numbers } },
        { rememberedAccountId: { $in: numbers } },
      ],
    })
    .toArray();
  return ownKeys(documents.map(toAccount), others.map(toAccount));
}

/** Does something with the creator's comments and likes, some hundred challenges at a time. */
async function inChallenges(
  db: Db,
  keys: readonly OwnKeys[],
  work: (comments: Filter<CommentDocument>, likers: Filter<LikerDocument> | null) => Promise<void>,
): Promise<void> {
  for (const { platform, numbers, handles, unnumbered } of keys) {
    if (numbers.length + handles.length + unnumbered.length === 0) continue;
    const campaigns = await collection(db, 'campaigns')
      .find({ 'challenge.platform': platform })
      .project<{ challenge: { id: number } }>({ _id: 0, 'challenge.id': 1 })
      .toArray();
    for (const some of chunks(campaigns.map(({ challenge }) => challenge.id))) {
      const challengeId = { $in: [...some] };
      const fetches = await collection(db, 'likersFetches').distinct('_id', { challengeId });
      await work(
        {
          $or: [
            { challengeId, authorId: { $in: [...numbers] } },
            { challengeId, author: { $in: [...handles] } },
            { challengeId, author: { $in: [...unnumbered] }, authorId: null },
          ],
        },
        fetches.length === 0
          ? null
          : {
              $or: [
                { fetchId: { $in: fetches }, igUserId: { $in: [...numbers] } },
                { fetchId: { $in: fetches }, handle: { $in: [...handles] } },
              ],
            },
      );
    }
  }
}

async function eraseChallengeData(db: Db, keys: readonly OwnKeys[]): Promise<{ comments: number; likes: number }> {
  const counts = { comments: 0, likes: 0 };
  const comment = { username: ERASED, author: ERASED, authorId: ERASED, commentText: ERASED };
  const liker = { username: ERASED, handle: ERASED, fullName: null, profilePicUrl: null };
  await inChallenges(db, keys, async (ofComments, ofLikers) => {
    counts.comments += (await collection(db, 'comments').updateMany(ofComments, { $set: comment })).modifiedCount;
    if (ofLikers === null) return;
    const likers = collection(db, 'likers');
    for (const { _id } of await likers.find(ofLikers).project<{ _id: number }>({ _id: 1 }).toArray()) {
      const flags = { isPrivate: false, isVerified: false };
      await likers.updateOne({ _id }, { $set: { ...liker, ...flags, igUserId: `erased-${_id}` } });
      counts.likes += 1;
    }
  });
  return counts;
}

async function eraseAccounts(db: Db, userId: number, now: Date): Promise<void> {
  for (const document of await accountsOf(db, userId)) {
    const { id: _id, profileData, ...fields } = erasedAccount(toAccount(document), now);
    const $set = { ...fields, profileData: JSON.stringify(profileData), outbox: [] };
    await collection(db, 'socialAccounts').updateOne({ _id }, { $set, $unset: { outboxAt: '', follows: '' } });
  }
}

/** Returns the attempts that are under way by now; then nothing was changed for them. */
async function eraseAttempts(db: Db, userId: number): Promise<readonly Attempt[]> {
  for (;;) {
    const attempts = await attemptsOf(db, userId);
    const underWay = attempts.filter(isUnderWay);
    if (underWay.length > 0) return underWay;
    let isDone = true;
    for (const attempt of attempts) {
      const after = erasedAttempt(attempt);
      if (after === null) continue;
      const unchanged = { _id: attempt.id, revision: attempt.revision };
      const { $set } = transitionUpdate(after, []);
      const update = { $set: { ...$set, outbox: [] }, $unset: { outboxAt: '' as const } };
      const { matchedCount } = await repeatOnClash(() => collection(db, 'attempts').updateOne(unchanged, update));
      isDone &&= matchedCount === 1;
    }
    if (isDone) return [];
  }
}

function naming(userId: number, attempts: readonly Attempt[]): Filter<DeliveryDocument> {
  const escaped = bodyMark(userId).replace('{', '\\{');
  return {
    $or: [
      { attemptId: { $in: attempts.map(({ id }) => id) } },
      { event: 'account.connected', body: { $regex: escaped } },
    ],
  };
}

async function eraseDeliveries(db: Db, named: Filter<DeliveryDocument>, now: Date): Promise<number> {
  const deliveries = collection(db, 'deliveries');
  const cancelled = { status: 'cancelled' as const, nextTryAt: null, finishedAt: now };
  await deliveries.updateMany({ $and: [named, { status: 'pending' }] }, { $set: cancelled });
  const { modifiedCount } = await deliveries.updateMany(named, {
    $set: { body: ERASED_BODY },
    $unset: { 'tries.$[].response': '' },
  });
  return modifiedCount;
}

import { describe, expect, it } from 'vitest';
import { textKeyOf } from '../../../core/engagement/rules/comment-text.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import {
  announced,
  eventEntry,
  later,
  linkInput,
  newAttempt,
  newComment,
  newConnectionRequest,
  newDelivery,
  newLiker,
  newLikersFetch,
  newToken,
  newWebhook,
  storedAttempt,
  storedChallenge,
  storedLikersFetch,
  T0,
  unique,
} from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const EVERY = ['comments', 'likers', 'attempts', 'outbox', 'tokens', 'accounts', 'creators', 'deliveries'] as const;
const PAGE = { page: 1, limit: 100 };

export function personalDataContract(create: () => Promise<StorageWorld>): void {
  describe('personal data', () => {
    const stage = prepareStage(create);

    it('is returned whole, and nothing of others with it', async () => {
      const { creator, account, texts, ids } = await person(stage.storage);
      const data = await stage.other.creators.personalData(creator.id);
      expect(data).toMatchObject({ creator, accounts: [account] });
      expect(data?.attempts.map(({ id }) => id)).toEqual(ids.attempts);
      expect(data?.comments.map(({ id }) => id)).toEqual(ids.comments);
      expect(data?.likes).toHaveLength(2);
      expect(data?.connectionRequests.map(({ id }) => id)).toEqual([ids.request]);
      expect(data?.deliveries.map(({ id }) => id)).toEqual(ids.deliveries);
      const told = JSON.stringify(data);
      for (const text of texts) expect(told).toContain(text);
      expect(told).not.toContain('OTHER');
      expect(await stage.storage.creators.personalData(999_999_999)).toBeNull();
    });

    it('is erased everywhere; ids, states, points and counts stay, and others lose nothing', async () => {
      const { storage, other } = stage;
      const { creator, account, texts, ids } = await person(storage);
      const before = await other.creators.personalData(creator.id);
      const erased = await storage.creators.erase({ userId: creator.id, suffix: 'suffix', now: later(60) });
      const anonymous = {
        ...creator,
        externalId: `erased-${creator.id}-suffix`,
        email: `erased-${creator.id}-suffix@creators.invalid`,
        displayName: null,
        avatarUrl: null,
      };
      expect(erased).toEqual({ kind: 'erased', creator: anonymous, comments: 3, likes: 2, deliveries: 3 });
      expect(await other.creators.find(creator.id)).toEqual(anonymous);
      await expectErased(other, ids, texts);
      const after = await other.creators.personalData(creator.id);
      expect(after).toMatchObject({ connectionRequests: [], comments: [], likes: [] });
      const link = {
        id: account.id,
        platformUsername: `[erased-${account.id}]`,
        profileData: {},
        ownershipProven: false,
      };
      expect(after?.accounts).toMatchObject([{ ...link, platformAccountId: null, disconnectedAt: later(60) }]);
      const kept = before?.attempts.map(({ id, state, pointsAwarded, verifiedAt }) => ({
        id,
        state,
        pointsAwarded,
        verifiedAt,
      }));
      expect(after?.attempts).toMatchObject(kept ?? []);
      expect(after?.deliveries.map(({ status }) => status)).toEqual(['succeeded', 'cancelled']);
      const withoutResponse = { at: T0, durationMs: 1, status: 500, error: 'no' };
      expect(after?.deliveries[1]?.tries).toEqual([withoutResponse, withoutResponse]);
      expect(await other.tokens.findByHash(ids.tokenHash)).toBeNull();

      const late = { biography: 'read before, stored after' };
      expect(await storage.creators.replaceProfile(account.id, late, 'https://example.com/a.jpg')).toBe(false);
      const again = await storage.creators.erase({ userId: creator.id, suffix: 'another', now: later(90) });
      expect(again).toEqual({ kind: 'erased', creator: anonymous, comments: 0, likes: 0, deliveries: 0 });
      expect(await other.creators.personalData(creator.id)).toEqual(after);
      const fresh = await storage.creators.link(linkInput({ externalId: creator.externalId, handle: ids.handle }));
      expect(fresh.outcome).toBe('created');
      expect(fresh.creator.id).not.toBe(creator.id);
      expect(await storage.creators.erase({ userId: 999_999_999, suffix: 'x', now: T0 })).toBeNull();
    });

    it('is not erased while an attempt is under way; one that was never claimed is no hindrance', async () => {
      const { storage } = stage;
      const { creator, texts } = await person(storage);
      const userId = creator.id;
      await storedAttempt(storage, await storedChallenge(storage), userId);
      const claimed = { state: 'awaiting_claim', verificationDeadline: later(600) } as const;
      const open = await storedAttempt(storage, await storedChallenge(storage), userId, claimed);
      const verified = await storedAttempt(storage, await storedChallenge(storage), userId, { state: 'verified' });
      const before = await storage.creators.personalData(userId);
      const refused = await storage.creators.erase({ userId, suffix: 'suffix', now: later(60) });
      expect(refused).toMatchObject({ kind: 'under-way', attempts: [{ id: open.id }, { id: verified.id }] });
      expect(await storage.creators.personalData(userId)).toEqual(before);
      for (const text of texts) expect(JSON.stringify(before)).toContain(text);
    });

    it('is erased though a reward is held, which is then never issued or looked at again', async () => {
      const { storage, other } = stage;
      const { creator } = await storage.creators.link(linkInput({ externalId: unique('held') }));
      const held = { why: 'holding', since: T0 } as const;
      const changes = { state: 'verified', verifiedAt: T0, held, checkAt: later(5) } as const;
      const { id } = await storedAttempt(storage, await storedChallenge(storage), creator.id, changes);
      const erased = await storage.creators.erase({ userId: creator.id, suffix: 'suffix', now: later(60) });
      expect(erased).toMatchObject({ kind: 'erased' });
      const after = await other.attempts.find(id);
      expect(after?.held).toEqual({ why: 'gone', since: T0 });
      expect(after?.checkAt ?? null).toBeNull();
    });

    it('is erased also of what is stored while it is erased: attempts, and links of a connection request', async () => {
      const { storage, other } = stage;
      const challengeId = await storedChallenge(storage);
      const erased = async (_: unknown, index: number) => {
        const { id: requestId, externalId } = newConnectionRequest({ externalId: unique('racing') });
        await storage.connections.create(newConnectionRequest({ id: requestId, externalId }));
        const handle = unique('racing');
        const { creator } = await storage.creators.link(linkInput({ externalId, handle }));
        const attempt = newAttempt(challengeId, creator.id, {
          metadata: { origin: 'batch', platformUsername: handle },
        });
        const create = () =>
          other.attempts.create([{ attempt, outbox: (id) => [eventEntry(id, { username: handle })] }]);
        const connect = () =>
          storage.creators.link(linkInput({ externalId, handle, requestId, ownershipProven: true }));
        const erase = storage.creators.erase({ userId: creator.id, suffix: 'x', now: T0 });
        // Some find the creator before, some after the erasure, and some amidst it.
        if (index % 3 === 0) await erase;
        const [created, connected] = await Promise.allSettled([create(), connect(), erase]);
        if (index % 3 === 0) {
          expect(created).toMatchObject({ value: [{ kind: 'challenge-gone' }] });
          expect(connected).toMatchObject({ reason: { code: 'NOT_FOUND' } });
        }
        expect(JSON.stringify(await storage.creators.personalData(creator.id))).not.toContain(handle);
        expect(await storage.creators.findByHandle(null, handle, { ended: true })).toEqual([]);
      };
      await Promise.all(Array.from({ length: 24 }, erased));
    });

    it('erased comments stay erased when they are read again, and count for nobody', async () => {
      const { storage } = stage;
      const { creator, ids } = await person(storage);
      await storage.creators.erase({ userId: creator.id, suffix: 'suffix', now: later(60) });
      const [, challengeId = 0] = ids.challenges;
      const seen = { username: ids.handle, authorId: ids.number, platformCommentId: ids.platformCommentId };
      expect(await storage.comments.insertNew(challengeId, [newComment(seen)], later(90))).toBe(0);
      const authors = [ids.handle, `#${ids.number}`];
      expect(await storage.comments.earliestByAuthors(challengeId, authors)).toEqual(new Map());
      expect(await storage.comments.earliestByAuthors(challengeId, [ids.handle], 'unnumbered')).toEqual(new Map());
      expect(await storage.comments.insertNew(challengeId, [newComment({ username: ids.handle })], later(95))).toBe(1);
      expect((await storage.comments.earliestByAuthors(challengeId, authors)).size).toBe(1);
    });

    it('what an erased comment said is still found, so that nobody copies it', async () => {
      const { storage } = stage;
      const challengeId = await storedChallenge(storage);
      const input = linkInput();
      const { creator } = await storage.creators.link(input);
      const own = newComment({ username: input.handle, commentText: 'Love it', commentedAt: later(1) });
      const copy = newComment({ commentText: 'love it!', commentedAt: later(2) });
      await storage.comments.insertNew(challengeId, [own, copy], T0);
      await storage.creators.erase({ userId: creator.id, suffix: 'suffix', now: later(60) });
      const key = textKeyOf('love it') ?? '';
      const found = await stage.other.comments.firstOfTexts(challengeId, [key]);
      expect([...found.keys()]).toEqual([key]);
      expect(found.get(key)).toMatchObject({ commentedAt: later(1), commentText: '[erased]' });
    });

    it('leaves the comments of an account that another creator has as well', async () => {
      const { storage } = stage;
      const handle = unique('shared');
      const challengeId = await storedChallenge(storage);
      const { creator } = await storage.creators.link(linkInput({ handle }));
      await storage.creators.link(linkInput({ handle }));
      await storage.comments.insertNew(challengeId, [newComment({ username: handle })], T0);
      expect(await storage.creators.erase({ userId: creator.id, suffix: 'x', now: T0 })).toMatchObject({ comments: 0 });
      expect((await storage.comments.earliestByAuthors(challengeId, [handle])).size).toBe(1);
    });

    it('is erased by a call that is repeated after one that failed anywhere', async () => {
      const world = await create();
      try {
        const storage = await world.open();
        for (const fault of world.faults?.(EVERY) ?? []) {
          const { creator, texts, ids } = await person(storage);
          const erasure = { userId: creator.id, suffix: 'suffix', now: later(60) };
          const disarm = await fault.arm();
          const failed = await storage.creators.erase(erasure).then(
            () => false,
            () => true,
          );
          await disarm();
          if (fault.certain) expect(failed, fault.name).toBe(true);
          expect(await storage.creators.erase(erasure), fault.name).toMatchObject({ kind: 'erased' });
          await expectErased(storage, ids, texts);
        }
      } finally {
        await world.close();
      }
    });
  });
}

/** A creator with one of everything, each with a text that names the person. Others have similar things. */
async function person(storage: Storage) {
  const name = unique('PERSON');
  const handle = unique('handle');
  const number = unique('7');
  const proof = { ownershipProven: true, platformAccountId: number, announce: announced };
  const profileData = { full_name: `${name} profile`, biography: 'bio' };
  const input = linkInput({ handle, email: `${name}@example.com`, displayName: name, profileData, ...proof });
  const { creator, account } = await storage.creators.link(input);
  const stranger = await storage.creators.link(linkInput({ displayName: 'OTHER', handle: unique('other') }));
  const challenges = [await storedChallenge(storage), await storedChallenge(storage)];
  const [first = 0, second = 0] = challenges;
  const rewarded = {
    state: 'rewarded',
    pointsAwarded: 50,
    verifiedAt: T0,
    rewardedAt: T0,
    matchedComment: { commentText: `${name} matched`, commentedAt: T0 },
    metadata: { origin: 'request', platformUsername: handle },
    stateHistory: [{ state: 'rewarded', at: T0, reason: `match found: @${handle} is now @x` }],
  } as const;
  const attempts = [
    (await storedAttempt(storage, first, creator.id, rewarded)).id,
    (await storedAttempt(storage, second, creator.id, { state: 'created', metadata: { platformUsername: handle } })).id,
  ];
  const foreign = await storedAttempt(storage, first, stranger.creator.id, rewarded);
  const comment = (changes: object) => newComment({ commentText: `${name} wrote`, ...changes });
  const platformCommentId = unique('comment');
  await storage.comments.insertNew(
    first,
    [
      comment({ username: handle }),
      comment({ username: 'renamed', authorId: number }),
      newComment({ username: handle, authorId: unique('8'), commentText: 'OTHER holder' }),
      newComment({ username: 'somebody', commentText: 'OTHER' }),
    ],
    T0,
  );
  await storage.comments.insertNew(second, [comment({ username: handle, platformCommentId })], T0);
  for (const challengeId of challenges) {
    const likers = [
      newLiker({ igUserId: number, username: handle, fullName: `${name} liker` }),
      newLiker({ fullName: 'OTHER' }),
    ];
    await storedLikersFetch(storage, newLikersFetch(challengeId, { status: 'succeeded' }), likers);
  }
  const request = newConnectionRequest({ externalId: creator.externalId, platform: 'instagram', handle });
  await storage.connections.create(request);
  const tokenHash = unique('hash');
  await storage.tokens.create(newToken({ role: 'creator', externalId: creator.externalId, hash: tokenHash }));
  const webhook = await storage.webhooks.create(newWebhook(1));
  const body = JSON.stringify({ event: 'x', data: { commentText: `${name} told` } });
  const connected = JSON.stringify({ event: 'account.connected', data: { userId: creator.id, username: name } });
  const tried = { at: T0, durationMs: 1, status: 500, error: 'no' };
  const [attemptId = 0] = attempts;
  const deliveries = await storage.deliveries.createMany([
    newDelivery(webhook.id, { attemptId, body, status: 'succeeded', nextTryAt: null, finishedAt: T0 }),
    newDelivery(webhook.id, { attemptId, body, tries: [{ ...tried, response: `${name} answered` }, tried] }),
    newDelivery(webhook.id, { event: 'account.connected', body: connected }),
  ]);
  await storage.deliveries.createMany([
    newDelivery(webhook.id, { attemptId: foreign.id, body: '{"OTHER":true}' }),
    newDelivery(webhook.id, {
      event: 'account.connected',
      body: JSON.stringify({ event: 'account.connected', data: { userId: creator.id * 10 + 1, username: 'OTHER' } }),
    }),
  ]);
  const stored = [
    ...(await storage.comments.page(first, PAGE)).items,
    ...(await storage.comments.page(second, PAGE)).items,
  ];
  const comments = stored.filter(({ commentText }) => commentText.startsWith(name)).map(({ id }) => id);
  return {
    creator,
    account,
    texts: [name, handle],
    ids: {
      attempts,
      challenges,
      comments: comments.sort((a, b) => a - b),
      platformCommentId,
      handle,
      number,
      request: request.id,
      tokenHash,
      webhook: webhook.id,
      deliveries: deliveries.map(({ id }) => id),
    },
  };
}

type Ids = Awaited<ReturnType<typeof person>>['ids'];

/** No store that shows the person shows a text of theirs. What others wrote is still there. */
async function expectErased(storage: Storage, ids: Ids, texts: readonly string[]): Promise<void> {
  const likers = async (challengeId: number) => {
    const fetch = await storage.likers.findFetch({ challengeId });
    return (await storage.likers.page(fetch?.id ?? 0, PAGE)).items;
  };
  const shown = await Promise.all([
    ...ids.attempts.map((id) => storage.attempts.find(id)),
    ...ids.challenges.map(async (id) => {
      const { items } = await storage.comments.page(id, PAGE);
      return items;
    }),
    ...ids.challenges.map(likers),
    storage.deliveries.list(ids.webhook, PAGE),
    storage.connections.find(ids.request),
    storage.creators.findByHandle(null, ids.handle, { ended: true }),
    storage.outbox.pending(10_000),
  ]);
  const told = JSON.stringify(shown).replaceAll(/\{[^{}]*OTHER[^{}]*\}/g, 'OTHER');
  for (const text of texts) expect(told).not.toContain(text);
  expect(told).not.toContain(`"${ids.number}"`);
  expect(told.match(/OTHER/g)?.length).toBeGreaterThanOrEqual(6);
}

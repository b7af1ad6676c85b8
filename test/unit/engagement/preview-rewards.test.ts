import { expect, it } from 'vitest';
import { linkInput, newLiker, newLikersFetch, storedLikersFetch } from '../../contract/storage/samples.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

const END = new Date('2026-03-05T00:00:00.000Z');

/** Comments in this order, a day apart: the last ones are after the end. */
async function comment(challengeId: number, authors: readonly (string | readonly [string, string])[]) {
  const comments = authors.map((author, index) => {
    const [username = '', authorId = null] = [author].flat();
    const at = { platformCommentId: `c${index}`, commentedAt: new Date(Date.UTC(2026, 2, 1 + index)) };
    return { ...at, username, authorId, commentText: `by ${username} #${index}` };
  });
  await world.storeComments(challengeId, ...comments);
}

/** Everything that is stored about creators and attempts, and what is to be announced. */
async function stored(campaignId: number) {
  const { creators, outbox, campaigns } = world.storage;
  const page = { page: 1, limit: 100 };
  return JSON.stringify([
    await world.listResults({ campaignId, ...page }),
    await creators.listPage(page),
    await outbox.pending(100),
    await campaigns.find(campaignId),
  ]);
}

it('names those whom the real run then verifies and rewards, and changes nothing', async () => {
  const { campaign, challenge } = await world.campaign({ endsAt: END });
  const campaignId = campaign.id;
  for (const name of ['ada', 'bob', 'silent', 'late', 'done']) await world.creator(name);
  // The same person, or two who claim one account.
  await world.registerCreator({ externalId: 'ext-twin', platform: 'instagram', handle: 'ada' });
  // Two handles of one creator: the earlier comment counts.
  await world.registerCreator({ externalId: 'ext-bob', platform: 'instagram', handle: 'bob.2' });
  await comment(challenge.id, ['Bob.2', ['bob', '12'], ['ada', '11'], ['stranger', '13'], 'late', 'done']);
  // Who has an attempt takes part already.
  await world.createAttempt({ challengeId: challenge.id, creator: { externalId: 'ext-done' } });

  const before = await stored(campaignId);
  const preview = await world.previewRewards({ campaignId, limit: 100 });
  expect(await stored(campaignId)).toBe(before);
  expect(preview.rewards).toMatchObject([
    { creator: { externalId: 'ext-ada' }, platformUsername: 'ada', points: 50, isAfterEnd: false, isShared: true },
    {
      creator: { externalId: 'ext-bob' },
      platformUsername: 'bob.2',
      matchedComment: { commentText: 'by Bob.2 #0' },
    },
    { creator: { externalId: 'ext-late' }, isAfterEnd: true, isShared: false },
    { creator: { externalId: 'ext-twin' }, platformUsername: 'ada', isShared: true },
  ]);
  expect(preview).toMatchObject({ campaignId, matched: 4, pointsReward: 50, totalPoints: 200, afterEnd: 1, shared: 2 });
  const first = await world.previewRewards({ campaignId, limit: 1 });
  expect(first).toEqual({ ...preview, rewards: preview.rewards.slice(0, 1) });

  expect(await world.verifyAndReward({ campaignId })).toEqual({ matched: 4, verified: 4, rewarded: 4 });
  const { items } = await world.listResults({ campaignId, state: 'rewarded', page: 1, limit: 100 });
  const paid = items.map(({ attempt, externalId, platformUsername }) => ({
    externalId,
    platformUsername,
    matchedComment: attempt.matchedComment,
    points: attempt.pointsAwarded,
  }));
  expect(paid).toEqual(
    preview.rewards.map(({ creator: { externalId }, platformUsername, matchedComment, points }) => ({
      externalId,
      platformUsername,
      matchedComment,
      points,
    })),
  );
  const nothing = { matched: 0, totalPoints: 0, rewards: [] };
  expect(await world.previewRewards({ campaignId, limit: 100 })).toMatchObject(nothing);
});

it('counts all, over many rounds', async () => {
  const { campaign, challenge } = await world.campaign();
  const names = Array.from({ length: 1_203 }, (_, index) => `creator${index}`);
  const link = (handle: string) =>
    world.storage.creators.link(linkInput({ externalId: `ext-${handle}`, handle, now: world.now() }));
  await Promise.all(names.map(link));
  const some = names.filter((_, index) => index % 3 === 0);
  await comment(challenge.id, some);
  const preview = await world.previewRewards({ campaignId: campaign.id, limit: 5 });
  expect(preview).toMatchObject({ matched: 401, totalPoints: 401 * 50, shared: 0, afterEnd: 0 });
  expect(preview.rewards).toHaveLength(5);
  expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ matched: 401, rewarded: 401 });
});

it('names creators who liked the post, of two handles the one that counts first', async () => {
  const { campaign, challenge } = await world.campaign({ challenge: { action: 'like' } });
  await world.creator('ada');
  await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada.too' });
  const fetch = newLikersFetch(challenge.id, { status: 'succeeded', startedAt: world.now(), fetchedCount: 2 });
  const likers = ['ada', 'ada.too'].map((username) => newLiker({ username }));
  await storedLikersFetch(world.storage, fetch, likers);
  const preview = await world.previewRewards({ campaignId: campaign.id, limit: 10 });
  const rewards = [{ platformUsername: 'ada', matchedComment: null }];
  expect(preview).toMatchObject({ matched: 1, afterEnd: 0, rewards });
});

it.each([
  ['rewards', { maxRewards: 3 }],
  ['points', { pointsBudget: 199 }],
])('promises no more than the limit of %s allows, and as much as the real run pays', async (_of, limits) => {
  const { campaign, challenge } = await world.campaign({ limits });
  const [campaignId, names] = [campaign.id, ['ada', 'bob', 'cleo', 'dana']];
  await comment(challenge.id, ['first', ...names]);
  await world.creator('first');
  await world.verifyAndReward({ campaignId });
  await world.settle();
  for (const name of names) await world.creator(name);
  const preview = await world.previewRewards({ campaignId, limit: 10 });
  expect(preview).toMatchObject({ matched: 4, pointsReward: 50, totalPoints: 100 });
  expect(preview.rewards.map(({ points }) => points)).toEqual([50, 50, 0, 0]);
  expect(await world.verifyAndReward({ campaignId })).toMatchObject({ verified: 4 });
  await world.settle();
  const { items } = await world.listResults({ campaignId, state: 'rewarded', page: 1, limit: 100 });
  expect(items.map(({ externalId }) => externalId).sort()).toEqual(['ext-ada', 'ext-bob', 'ext-first']);
});

it('promises one reward to an account that several creators have, and none beyond the points of a day', async () => {
  const limits = { pointsPerCreatorAndDay: 60 };
  const before = await world.campaign({ limits });
  await world.creator('bob');
  await comment(before.challenge.id, [['bob', '12']]);
  await world.verifyAndReward({ campaignId: before.campaign.id });
  await world.settle();

  await world.creator('ada');
  await world.registerCreator({ externalId: 'ext-twin', platform: 'instagram', handle: 'ada' });
  const requires = { oneRewardPerAccount: true } as const;
  const { brandId } = before.campaign;
  const { campaign, challenge } = await world.campaign({ brandId, limits, challenge: { requires } });
  await comment(challenge.id, [
    ['ada', '11'],
    ['bob', '12'],
  ]);
  const preview = await world.previewRewards({ campaignId: campaign.id, limit: 10 });
  expect(preview).toMatchObject({ matched: 3, totalPoints: 50 });
  expect(preview.rewards.map(({ creator, points }) => [creator.externalId, points])).toEqual([
    ['ext-bob', 0],
    ['ext-ada', 50],
    ['ext-twin', 0],
  ]);
});

it('asks what is used for many creators at once, and for nothing that no limit needs', async () => {
  const { places } = world.storage;
  const { used } = places;
  let [asked, waiting, most] = [0, 0, 0];
  places.used = async (key) => {
    asked += 1;
    waiting += 1;
    most = Math.max(most, waiting);
    const found = await used(key);
    waiting -= 1;
    return found;
  };
  const names = Array.from({ length: 30 }, (_, index) => `creator${index}`);
  for (const name of names) await world.creator(name);
  const preview = async (campaign: Parameters<typeof world.campaign>[0]) => {
    const found = await world.campaign(campaign);
    await comment(found.challenge.id, names);
    return (await world.previewRewards({ campaignId: found.campaign.id, limit: 1 })).totalPoints;
  };
  expect(await preview({})).toBe(30 * 50);
  expect(asked).toBe(0);
  expect(await preview({ limits: { maxRewards: 20 } })).toBe(20 * 50);
  expect([asked, most]).toEqual([31, 31]);
});

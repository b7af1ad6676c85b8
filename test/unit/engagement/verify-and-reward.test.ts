import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainError } from '../../../core/errors.ts';
import type { AttemptStore } from '../../../core/ports/attempt-store.ts';
import { createEngagementWorld, type EngagementWorld } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

async function store(challengeId: number, usernames: readonly string[]) {
  const comments = usernames.map((username, index) => ({
    platformCommentId: `c${index}`,
    username,
    commentText: `by ${username} #${index}`,
    commentedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
  }));
  await world.storage.comments.insertNew(challengeId, comments, world.now());
}

/** Many links without the use case's look at the platform. */
async function link(count: number, name: (index: number) => string) {
  const links = Array.from({ length: count }, (_, index) =>
    world.storage.creators.link({
      externalId: `ext-${name(index)}`,
      email: 'a@example.com',
      displayName: null,
      platform: 'instagram',
      handle: name(index),
      profileData: {},
      ownershipProven: false,
      now: world.now(),
    }),
  );
  return Promise.all(links);
}

it('verifies and rewards who has commented and has no attempt', async () => {
  const { campaign, challenge } = await world.campaign();
  for (const name of ['ada', 'bob', 'cleo', 'dora']) await world.creator(name);
  await world.creator('eve', 'tiktok');
  await store(challenge.id, ['stranger', 'ADA', 'ada', 'Bob', 'dora', 'eve']);
  const dora = await world.storage.creators.findByExternalId('ext-dora');
  await world.createAttempt({ challengeId: challenge.id, creator: { userId: dora?.id ?? 0 } });

  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 2, verified: 2, rewarded: 2 });
  await world.settle();
  expect(world.eventNames()).toEqual(['creator.verified', 'reward.issued', 'creator.verified', 'reward.issued']);
  expect(world.events.map(({ data }) => [data.username, data.commentText, data.points])).toEqual([
    ['ada', 'by ADA #1', undefined],
    ['ada', undefined, 50],
    ['bob', 'by Bob #3', undefined],
    ['bob', undefined, 50],
  ]);
  const results = await world.listResults({ campaignId: campaign.id, page: 1, limit: 20, state: 'rewarded' });
  expect(results.items.map(({ attempt }) => attempt.stateHistory.map(({ state }) => state))).toEqual([
    ['verified', 'rewarded'],
    ['verified', 'rewarded'],
  ]);
  expect(results.items[0]?.attempt).toMatchObject({
    matchedComment: { commentText: 'by ADA #1' },
    lastVerificationAt: world.now(),
    verifiedAt: world.now(),
    metadata: { origin: 'batch', platformUsername: 'ada' },
  });
  expect(results.items[0]?.attempt.stateHistory[0]?.reason).toBe('match found by verify-and-reward');

  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 0, verified: 0, rewarded: 0 });
  await world.settle();
  expect(world.events).toHaveLength(4);
});

it('gives one attempt to a creator with two handles, and one to each creator of a shared handle', async () => {
  const { campaign, challenge } = await world.campaign();
  await world.creator('ada');
  await world.registerCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada.second' });
  await world.registerCreator({ externalId: 'ext-twin', platform: 'instagram', handle: 'ada' });
  await store(challenge.id, ['ada.second', 'ada']);
  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 2, verified: 2, rewarded: 2 });
  const { items } = await world.listResults({ campaignId: campaign.id, page: 1, limit: 20 });
  expect(items.map(({ externalId, attempt }) => [externalId, attempt.matchedComment?.commentText])).toEqual([
    ['ext-ada', 'by ada.second #0'],
    ['ext-twin', 'by ada #1'],
  ]);
});

it('leaves out disconnected handles', async () => {
  const { campaign, challenge } = await world.campaign();
  await world.creator('ada');
  await world.disconnectCreator({ externalId: 'ext-ada', platform: 'instagram', handle: 'ada' });
  await store(challenge.id, ['ada']);
  expect((await world.verifyAndReward({ campaignId: campaign.id })).matched).toBe(0);
});

it('takes the likers for like challenges', async () => {
  const { campaign, challenge } = await world.campaign({
    challenge: { targetUrl: 'https://www.instagram.com/p/C0ffee/', action: 'like' },
  });
  await world.creator('ada');
  await store(challenge.id, ['ada']);
  expect((await world.verifyAndReward({ campaignId: campaign.id })).matched).toBe(0);
  const fetch = await world.storage.likers.createFetch({
    challengeId: challenge.id,
    status: 'succeeded',
    maxCount: 10,
    fetchedCount: 1,
    totalLikes: 1,
    errorMessage: null,
    warning: null,
    requestedAt: world.now(),
    startedAt: world.now(),
    finishedAt: world.now(),
  });
  const liker = { fullName: null, isPrivate: false, isVerified: false, profilePicUrl: null };
  await world.storage.likers.insertNew(fetch.id, [{ ...liker, igUserId: '1', username: 'Ada' }]);
  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 1, verified: 1, rewarded: 1 });
  await world.settle();
  expect(world.events.map(({ event, data }) => [event, data.username, data.commentText])).toEqual([
    ['creator.verified', 'ada', undefined],
    ['reward.issued', 'ada', undefined],
  ]);
});

it('does nothing while nobody has commented', async () => {
  const { campaign } = await world.campaign();
  await world.creator('ada');
  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 0, verified: 0, rewarded: 0 });
});

it('walks more creators than fit one round, also when two batches run at a time', async () => {
  const { campaign, challenge } = await world.campaign();
  await link(1_203, (index) => `creator${index}`);
  // Every third one has commented.
  await store(
    challenge.id,
    Array.from({ length: 401 }, (_, index) => `Creator${index * 3}`),
  );
  const [one, two] = await Promise.all([
    world.verifyAndReward({ campaignId: campaign.id }),
    world.verifyAndReward({ campaignId: campaign.id }),
  ]);
  expect(one.verified + two.verified).toBe(401);
  expect(one.rewarded + two.rewarded).toBe(401);
  await world.settle();
  expect(await world.summariseCampaign(campaign.id)).toMatchObject({
    byState: { rewarded: 401 },
    totalPointsIssued: 401 * 50,
  });
  expect(world.eventNames().filter((name) => name === 'creator.verified')).toHaveLength(401);
  expect(world.eventNames().filter((name) => name === 'reward.issued')).toHaveLength(401);
});

it('leaves rewards to their jobs when it is cut off', async () => {
  const { campaign, challenge } = await world.campaign();
  await link(3, (index) => `creator${index}`);
  await store(challenge.id, ['creator0', 'creator1', 'creator2']);
  const { transition } = world.storage.attempts;
  Object.assign(world.storage.attempts, { transition: () => Promise.reject(new Error('the process dies here')) });
  await expect(world.verifyAndReward({ campaignId: campaign.id })).rejects.toThrow('dies');
  Object.assign(world.storage.attempts, { transition });
  await world.settle();
  expect((await world.summariseCampaign(campaign.id)).byState).toEqual({ rewarded: 3 });
  expect(world.events).toHaveLength(6);
});

describe('when the reward is out of its hands', () => {
  async function batchOfTwo() {
    const { campaign, challenge } = await world.campaign();
    await link(2, (index) => `creator${index}`);
    await store(challenge.id, ['creator0', 'creator1']);
    return () => world.verifyAndReward({ campaignId: campaign.id });
  }

  /** What happens to the first transition of all instead. */
  function instead(happens: AttemptStore['transition']) {
    const { transition } = world.storage.attempts;
    let first = true;
    const changed: AttemptStore['transition'] = (...args) => {
      if (!first) return transition(...args);
      first = false;
      return happens(...args);
    };
    Object.assign(world.storage.attempts, { transition: changed });
    return transition;
  }

  it('counts the one that a job was faster with', async () => {
    const run = await batchOfTwo();
    const transition = instead(async (...args) => {
      await transition(...args);
      return false;
    });
    expect(await run()).toEqual({ matched: 2, verified: 2, rewarded: 2 });
  });

  it('does not count one that somebody else has changed in another way', async () => {
    const run = await batchOfTwo();
    instead(async () => false);
    expect(await run()).toEqual({ matched: 2, verified: 2, rewarded: 1 });
    await world.settle();
    expect(world.eventNames().filter((name) => name === 'reward.issued')).toHaveLength(2);
  });

  it('leaves to its job the one that the storage could not take', async () => {
    const run = await batchOfTwo();
    instead(() => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'down')));
    expect(await run()).toEqual({ matched: 2, verified: 2, rewarded: 1 });
    await world.settle();
    expect(world.eventNames().filter((name) => name === 'reward.issued')).toHaveLength(2);
  });

  it('does not count one that is gone', async () => {
    const run = await batchOfTwo();
    instead(async () => false);
    Object.assign(world.storage.attempts, { find: async () => null });
    expect(await run()).toEqual({ matched: 2, verified: 2, rewarded: 1 });
  });
});

it('names an unknown campaign', async () => {
  await expect(world.verifyAndReward({ campaignId: 99 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

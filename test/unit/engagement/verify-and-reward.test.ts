import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type VerifyAndRewardDeps, verifyAndReward } from '../../../core/engagement/attempts/verify-and-reward.ts';
import type { AttemptStore } from '../../../core/ports/attempt-store.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { linkInput } from '../../contract/storage/samples.ts';
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
    world.storage.creators.link(linkInput({ externalId: `ext-${name(index)}`, handle: name(index), now: world.now() })),
  );
  return Promise.all(links);
}

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

it('rewards in the write that verifies: what is cut off there issues nothing, and the next run issues it once', async () => {
  const { campaign, challenge } = await world.campaign();
  await link(3, (index) => `creator${index}`);
  await store(challenge.id, ['creator0', 'creator1', 'creator2']);
  const { create } = world.storage.attempts;
  const dying: AttemptStore['create'] = async (attempts) => {
    await create(attempts.slice(0, 2));
    throw new Error('the process dies here');
  };
  Object.assign(world.storage.attempts, { create: dying });
  await expect(world.verifyAndReward({ campaignId: campaign.id })).rejects.toThrow('dies');
  Object.assign(world.storage.attempts, { create });
  expect((await world.summariseCampaign(campaign.id)).byState).toEqual({ rewarded: 2 });
  expect(await world.verifyAndReward({ campaignId: campaign.id })).toEqual({ matched: 1, verified: 1, rewarded: 1 });
  await world.settle();
  expect((await world.summariseCampaign(campaign.id)).byState).toEqual({ rewarded: 3 });
  expect(world.events).toHaveLength(6);
});

it('hands over the events of the attempts that it created, and looks no handle up twice', async () => {
  const { campaign, challenge } = await world.campaign();
  for (const name of ['ada', 'bob']) await world.creator(name);
  await store(challenge.id, ['ada', 'stranger', 'other']);
  const handOver = vi.fn<VerifyAndRewardDeps['relay']['handOver']>(async () => {});
  const lookUps = vi.spyOn(world.storage.comments, 'earliestByAuthors');
  const clock = { now: () => world.now() };
  const run = verifyAndReward({ storage: world.storage, relay: { handOver }, clock, random: systemRandom });
  expect(await run({ campaignId: campaign.id })).toMatchObject({ verified: 1 });
  const [attemptId] = (await world.listResults({ campaignId: campaign.id, page: 1, limit: 1 })).items.map(
    ({ attempt }) => attempt.id,
  );
  const events = [{ event: { event: 'creator.verified' } }, { event: { event: 'reward.issued' } }];
  expect(handOver.mock.calls).toMatchObject([[[{ owner: `attempts:${attemptId}`, entries: events }]]]);
  expect(lookUps.mock.calls.flatMap(([, handles]) => handles)).toEqual(['ada', 'bob']);
});

describe('cut off, it is repeated', () => {
  const COUNT = 1_203;

  /** The storage refuses the second round of attempts. */
  async function cutOff(campaignId: number) {
    const { create } = world.storage.attempts;
    let rounds = 0;
    const dying: AttemptStore['create'] = async (attempts) => {
      rounds += 1;
      if (rounds === 2) throw new Error('the process dies here');
      return await create(attempts);
    };
    Object.assign(world.storage.attempts, { create: dying });
    await expect(world.verifyAndReward({ campaignId })).rejects.toThrow('dies');
    Object.assign(world.storage.attempts, { create });
    return (await world.summariseCampaign(campaignId)).totalVerified;
  }

  it('without a second attempt for anybody', async () => {
    const { campaign, challenge } = await world.campaign();
    const names = Array.from({ length: COUNT }, (_, index) => `creator${index}`);
    await link(COUNT, (index) => `creator${index}`);
    await store(challenge.id, names);
    expect(await cutOff(campaign.id)).toBe(500);
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ matched: COUNT - 500 });
    expect(await world.verifyAndReward({ campaignId: campaign.id })).toMatchObject({ matched: 0 });
  });
});

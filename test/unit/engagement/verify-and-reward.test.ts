import { expect, it } from 'vitest';
import type { AttemptStore } from '../../../core/ports/attempt-store.ts';
import { linkInput } from '../../contract/storage/samples.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

async function store(challengeId: number, usernames: readonly string[]) {
  const comments = usernames.map((username, index) => ({
    platformCommentId: `c${index}`,
    username,
    commentText: `by ${username} #${index}`,
    commentedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
  }));
  await world.storeComments(challengeId, ...comments);
}

/** Many links without the use case's look at the platform. */
async function link(count: number, name: (index: number) => string) {
  const links = Array.from({ length: count }, (_, index) =>
    world.storage.creators.link(linkInput({ externalId: `ext-${name(index)}`, handle: name(index), now: world.now() })),
  );
  return Promise.all(links);
}

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

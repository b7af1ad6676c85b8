import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngagementWorld, type EngagementWorld } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

describe('reading campaigns', () => {
  it('lists participants with the handle of their attempt, else with one of the creator', async () => {
    const { campaign, challenge } = await world.campaign();
    const ada = await world.attempt(challenge.id, 'ada');
    world.pass(1);
    const link = { externalId: 'ext-ada', platform: 'instagram' } as const;
    await world.registerCreator({ ...link, handle: 'newer' });
    const shown = async () =>
      (await world.listResults({ campaignId: campaign.id, page: 1, limit: 20 })).items[0]?.platformUsername;
    expect(await shown()).toBe('ada');
    await world.disconnectCreator({ ...link, handle: 'ada' });
    expect(await shown()).toBe('ada');
    const unnamed = { ...ada, metadata: { platformUsername: '' }, revision: 1 };
    expect(await world.storage.attempts.transition(ada, unnamed, [])).toBe(true);
    expect(await shown()).toBe('newer');
  });
});

describe('ending a campaign', () => {
  it('stops claims, not verifications under way', async () => {
    const { campaign, challenge } = await world.campaign();
    world.posts.comment('ada');
    const ada = await world.attempt(challenge.id, 'ada');
    const bob = await world.attempt(challenge.id, 'bob');
    await world.claim(challenge.id, ada.id);
    await world.endCampaign(campaign.id);
    await world.settle();
    expect((await world.storage.attempts.find(ada.id))?.state).toBe('rewarded');
    await expect(world.claim(challenge.id, bob.id)).rejects.toMatchObject({ code: 'CAMPAIGN_INACTIVE' });
  });
});

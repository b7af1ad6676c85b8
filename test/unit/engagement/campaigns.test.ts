import { describe, expect, it, vi } from 'vitest';
import { POST_URL } from '../../support/engagement-world.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const world = worldOfEachTest();

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
    expect(await world.stateOf(ada.id)).toBe('rewarded');
    await expect(world.claim(challenge.id, bob.id)).rejects.toMatchObject({ code: 'CAMPAIGN_INACTIVE' });
  });
});

describe('changing a campaign', () => {
  it('looks at dates that others have changed meanwhile', async () => {
    const { campaign } = await world.campaign();
    const change = (changes: { startsAt?: Date; endsAt?: Date }) =>
      world.updateCampaign({ campaignId: campaign.id, changes });
    const results = await Promise.allSettled([
      change({ startsAt: new Date('2026-05-02T00:00:00Z') }),
      change({ endsAt: new Date('2026-05-01T00:00:00Z') }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('changes the points for every reward or for none', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { campaign, challenge } = await world.campaign();
      const names = [`r${round}a`, `r${round}b`];
      const { id } = await world.attempt(challenge.id, names[0] ?? '');
      await world.forceVerify({ challengeId: challenge.id, attemptId: id });
      await world.creator(names[1] ?? '');
      await world.storeComments(challenge.id, { username: names[1] ?? '' });
      const seen = world.events.length;
      const change = async () => {
        // A little later in each round.
        for (let turn = 0; turn < round * 8; turn += 1) await Promise.resolve();
        return world.updateCampaign({ campaignId: campaign.id, changes: { pointsReward: 80 } });
      };
      const of = { campaignId: campaign.id };
      const [changed] = await Promise.allSettled([change(), world.verifyAndReward(of), world.settle()]);
      await world.settle();
      const points = changed.status === 'fulfilled' ? 80 : 50;
      const { items } = await world.listResults({ campaignId: campaign.id, page: 1, limit: 9 });
      expect(items.map(({ attempt }) => attempt.pointsAwarded)).toEqual([points, points]);
      const told = world.events.slice(seen).filter(({ event }) => event === 'reward.issued');
      expect(told.map(({ data }) => data.points)).toEqual([points, points]);
    }
  });
});

it('keeps no campaign of a brand that was deleted while it was created', async () => {
  const brand = await world.createBrand({ name: 'Short', slug: 'short' });
  const { create } = world.storage.campaigns;
  vi.spyOn(world.storage.campaigns, 'create').mockImplementationOnce(async (...input) => {
    await world.deleteBrand(brand.id);
    return create(...input);
  });
  const challenge = { targetUrl: POST_URL };
  const creation = world.createCampaign({ brandId: brand.id, title: 'Late', pointsReward: 1, challenge });
  await expect(creation).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await world.listCampaigns({ page: 1, limit: 9 })).total).toBe(0);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CreateCampaignInput } from '../../../core/engagement/campaigns/create-campaign.ts';
import { createEngagementWorld, type EngagementWorld, POST_URL } from '../../support/engagement-world.ts';

let world: EngagementWorld;
beforeEach(async () => {
  world = await createEngagementWorld();
});
afterEach(() => world.close());

const later = (ms: number) => new Date(world.now().getTime() + ms);

describe('brands', () => {
  it('have a slug of their own', async () => {
    const create = () =>
      world.createBrand({ name: 'Acme', slug: 'acme' }).then(
        () => 'ok',
        ({ code, message, details }) => ({ code, message, details }),
      );
    const outcomes = await Promise.all([create(), create(), create()]);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
    const taken = { code: 'CONFLICT', message: 'The slug "acme" is taken.', details: { slug: 'acme' } };
    expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual([taken, taken]);
    expect(await world.listBrands()).toMatchObject([{ name: 'Acme', slug: 'acme', logoUrl: null }]);
  });
});

describe('creating a campaign', () => {
  it('understands the post URL without reading the post', async () => {
    const { campaign, challenge } = await world.campaign({
      challenge: { targetUrl: 'https://instagram.com/reel/Abc-1_/?igsh=1#x' },
    });
    expect(campaign).toMatchObject({ isActive: true, startsAt: null, endsAt: null, pointsReward: 50 });
    expect(challenge).toMatchObject({
      campaignId: campaign.id,
      platform: 'instagram',
      contentType: 'post',
      contentId: 'Abc-1_',
      canonicalUrl: 'https://www.instagram.com/reel/Abc-1_/',
      action: 'comment',
    });
    expect(challenge.instructionText).toMatch(/comment/i);
    expect(world.posts.state.reads).toBe(0);
  });

  it('follows short links', async () => {
    const { challenge } = await world.campaign({ challenge: { targetUrl: 'https://vm.tiktok.com/ZM8/' } });
    expect(challenge).toMatchObject({ platform: 'tiktok', contentId: '7300000000000000001' });
  });

  it.each([
    ['not-a-url', 'comment', 'VALIDATION_ERROR'],
    ['https://www.instagram.com/ada/', 'comment', 'VALIDATION_ERROR'],
    ['https://www.instagram.com.evil.example/p/C0ffee/', 'comment', 'VALIDATION_ERROR'],
    ['https://www.tiktok.com/@ada/video/7300000000000000001', 'like', 'INVALID_REQUEST'],
  ] as const)('refuses %s with %s: %s', async (targetUrl, action, code) => {
    await expect(world.campaign({ challenge: { targetUrl, action } })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(
        code === 'INVALID_REQUEST' ? /TikTok does not support "like"; use "comment"/ : /URL/,
      ),
    });
  });

  it('tells creators what to do, unless the brand has words of its own', async () => {
    const textOf = async (challenge: Partial<CreateCampaignInput['challenge']>) =>
      (await world.campaign({ challenge: { targetUrl: POST_URL, ...challenge } })).challenge.instructionText;
    expect(await textOf({})).toBe('Comment on the post from your linked account.');
    expect(await textOf({ action: 'like' })).toBe('Like the post from your linked account.');
    expect(await textOf({ action: 'like', instructionText: 'Show some love' })).toBe('Show some love');
  });

  it('needs a brand, and an end after the start', async () => {
    await expect(world.campaign({ brandId: 404 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no brand 404.',
    });
    await expect(world.campaign({ startsAt: later(10), endsAt: later(10) })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'endsAt must be later than startsAt.',
    });
    const dates = { startsAt: later(10), endsAt: later(11) };
    expect((await world.campaign(dates)).campaign).toMatchObject(dates);
  });
});

describe('reading campaigns', () => {
  it('lists the newest first, page by page', async () => {
    for (const title of ['a', 'b', 'c']) await world.campaign({ title });
    const first = await world.listCampaigns({ page: 1, limit: 2 });
    expect(first).toMatchObject({ total: 3, items: [{ title: 'c' }, { title: 'b' }] });
    expect((await world.listCampaigns({ page: 2, limit: 2 })).items).toMatchObject([{ title: 'a' }]);
    expect((await world.listCampaigns({ page: 3, limit: 2 })).items).toEqual([]);
  });

  it("shows a creator's own attempt to that creator only", async () => {
    const { campaign, challenge } = await world.campaign();
    const attempt = await world.attempt(challenge.id, 'ada');
    await world.creator('bob');
    const myAttempt = async (role: 'creator' | 'admin' | 'client', externalId: string | null) =>
      (
        await world.getCampaign({
          campaignId: campaign.id,
          caller: { role, externalId, tokenId: 1, key: 'token:1' },
        })
      ).myAttempt;
    expect((await myAttempt('creator', 'ext-ada'))?.id).toBe(attempt.id);
    expect(await myAttempt('creator', 'ext-bob')).toBeNull();
    expect(await myAttempt('creator', 'unknown')).toBeNull();
    expect(await myAttempt('admin', null)).toBeNull();
    expect(await myAttempt('client', 'ext-ada')).toBeNull();
    await expect(world.getCampaign({ campaignId: 99, caller: null })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

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

  it('counts attempts by state and lists participants by state', async () => {
    const { campaign, challenge } = await world.campaign();
    for (const name of ['ada', 'bob', 'cleo']) await world.attempt(challenge.id, name);
    const [ada] = (await world.listResults({ campaignId: campaign.id, page: 1, limit: 20 })).items;
    await world.forceVerify({ challengeId: challenge.id, attemptId: ada?.attempt.id ?? 0 });
    await world.settle();
    expect(await world.summariseCampaign(campaign.id)).toEqual({
      campaignId: campaign.id,
      totalAttempts: 3,
      byState: { created: 2, rewarded: 1 },
      totalVerified: 1,
      totalRewarded: 1,
      totalPointsIssued: 50,
    });
    const rewarded = await world.listResults({ campaignId: campaign.id, state: 'rewarded', page: 1, limit: 20 });
    expect(rewarded).toMatchObject({
      total: 1,
      items: [
        { externalId: 'ext-ada', platform: 'instagram', platformUsername: 'ada', attempt: { pointsAwarded: 50 } },
      ],
    });
    const second = await world.listResults({ campaignId: campaign.id, state: 'created', page: 2, limit: 1 });
    expect(second).toMatchObject({ total: 2, items: [{ externalId: 'ext-cleo' }] });
    await expect(world.listResults({ campaignId: 99, page: 1, limit: 20 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(world.summariseCampaign(99)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('ending a campaign', () => {
  it('sets the end to now, once', async () => {
    const { campaign } = await world.campaign({ endsAt: later(60_000) });
    const ended = await world.endCampaign(campaign.id);
    expect(ended).toMatchObject({ isActive: false, endsAt: world.now() });
    world.pass(5000);
    expect(await world.endCampaign(campaign.id)).toEqual(ended);
    await expect(world.endCampaign(99)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps an earlier end', async () => {
    const endsAt = later(1000);
    const { campaign } = await world.campaign({ endsAt });
    world.pass(5000);
    expect(await world.endCampaign(campaign.id)).toMatchObject({ isActive: false, endsAt });
  });

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

describe('deleting a campaign', () => {
  it('works until somebody tries it', async () => {
    const { campaign } = await world.campaign();
    await world.deleteCampaign(campaign.id);
    await expect(world.deleteCampaign(campaign.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    const tried = await world.campaign({ challenge: { targetUrl: POST_URL } });
    await world.attempt(tried.challenge.id, 'ada');
    await expect(world.deleteCampaign(tried.campaign.id)).rejects.toMatchObject({ code: 'CAMPAIGN_HAS_ATTEMPTS' });
    expect(await world.storage.campaigns.find(tried.campaign.id)).not.toBeNull();
  });
});

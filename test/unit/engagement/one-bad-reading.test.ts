/** Readings that lack comments or likes take no reward away, on the real storages. */
import { describe, expect, it } from 'vitest';
import type { CreateCampaignInput } from '../../../core/engagement/campaigns/create-campaign.ts';
import { POST_URL } from '../../support/engagement-world.ts';
import { eachStorage } from '../../support/storage.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

await eachStorage((kind) => {
  const world = worldOfEachTest({ on: kind });
  // What comes of it is the same on all.
  const terms = [{ recheckDays: 7, reverseOnRemoval: true }, ...(kind === 'sqlite' ? [{ holdDays: 7 }] : [])];

  /** That many have commented and liked; those at some places have claimed, and their attempts are returned. */
  async function claimed(count: number, places: readonly number[], campaign: Partial<CreateCampaignInput> = {}) {
    const found = await world.campaign(campaign);
    for (let n = 0; n < count; n += 1) world.posts.comment(`fan${n}`);
    world.posts.state.likers = Array.from({ length: count }, (_, n) => `fan${n}`);
    const ids: number[] = [];
    for (const place of places) ids.push((await world.attempt(found.challenge.id, `fan${place}`)).id);
    world.pass(1_000);
    for (const id of ids) await world.claim(found.challenge.id, id);
    await world.settle();
    const standings = async () => {
      const all = await Promise.all(ids.map(async (id) => (await world.storage.attempts.find(id)) ?? expect.fail()));
      return all.map(({ state, held, pointsAwarded }) => `${held?.why ?? state} ${pointsAwarded}`);
    };
    return { found, ids, standings };
  }
  const pass = async (ms: number) => {
    world.pass(ms);
    await world.queueChecks();
    await world.settle();
  };
  const lacking = () => world.eventNames().filter((name) => name === 'engagement.removed').length;

  describe.each(['comment', 'like'] as const)('a %s of many that are all missing', (action) => {
    it.each(terms)('is not gone, however often nothing is shown: %o', async (kept) => {
      const { standings } = await claimed(8, [0, 7], { terms: kept, challenge: { targetUrl: POST_URL, action } });
      const { comments, likers } = world.posts.state;
      Object.assign(world.posts.state, { comments: [], likers: [] });
      for (const ms of [7 * DAY_MS, 7 * HOUR_MS, DAY_MS, DAY_MS]) await pass(ms);
      expect(lacking()).toBe(0);
      Object.assign(world.posts.state, { comments, likers });
      for (let days = 0; days < 3; days += 1) await pass(DAY_MS);
      expect(await standings()).toEqual(['rewarded 50', 'rewarded 50']);
    });

    it('fails no claim', async () => {
      const { found, standings } = await claimed(8, [0], { challenge: { targetUrl: POST_URL, action } });
      const late = await world.attempt(found.challenge.id, 'late');
      Object.assign(world.posts.state, { comments: [], likers: [] });
      for (let n = 0; n < 4; n += 1) {
        world.pass(60_000);
        await world.claim(found.challenge.id, late.id);
        await world.settle();
      }
      expect(await world.storage.attempts.find(late.id)).toMatchObject({ state: 'awaiting_claim', retryCount: 0 });
      expect(await standings()).toEqual(['rewarded 50']);
    });
  });
});

/** One reading that does not add up takes no reward away. What is deleted is gone all the same. */
import { describe, expect, it } from 'vitest';
import type { CreateCampaignInput } from '../../../core/engagement/campaigns/create-campaign.ts';
import { settleComments } from '../../../core/engagement/pushes/settle-comments.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { POST_URL } from '../../support/engagement-world.ts';
import { claimAs, worldOfEachTest } from '../../support/world-of-test.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

const world = worldOfEachTest();
const terms = [{ recheckDays: 7, reverseOnRemoval: true }, { holdDays: 7 }];

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

describe('more than half of the comments, deleted for good,', () => {
  it('leave a claim unfinished for a day, no longer', async () => {
    const { found } = await claimed(12, [0]);
    for (let n = 0; n < 20; n += 1) world.posts.comment('flood', `spam ${n}`);
    await claimAs(world, found, 'zoe');
    world.posts.state.comments.splice(12);
    world.pass(HOUR_MS);
    const { id } = await claimAs(world, found, 'yan');
    const standing = async () => (await world.storage.attempts.find(id)) ?? expect.fail();
    expect(await standing()).toMatchObject({ retryCount: 0 });
    for (let n = 0; n < 3; n += 1) {
      world.pass(13 * HOUR_MS);
      await world.claim(found.challenge.id, id);
      await world.settle();
    }
    expect((await standing()).retryCount).toBeGreaterThan(0);
  });

  it.each(terms)('take no reward along, however long ago they were read: %o', async (kept) => {
    await claimed(10, [0, 9], { terms: kept });
    world.posts.state.comments.splice(3);
    await pass(7 * DAY_MS + HOUR_MS);
    for (let n = 0; n < 4; n += 1) await pass(7 * HOUR_MS);
    expect(lacking()).toBe(0);
  });
});

describe('a comment that a reading lacks, and that the platform counts', () => {
  /** The list lacks its last ones: those at these places. */
  const lack = (...places: readonly number[]) => {
    const { state } = world.posts;
    const isOf =
      (place: number) =>
      ({ username }: { readonly username: string }) =>
        username === `fan${place}`;
    const last = places.flatMap((place) => state.comments.filter(isOf(place)));
    state.comments = [...state.comments.filter((one) => !last.includes(one)), ...last];
    state.shown = 20 - places.length;
  };

  it.each(terms)('is not gone after one reading: %o', async (kept) => {
    const { standings } = await claimed(20, [18, 19], { terms: kept });
    lack(19);
    await pass(7 * DAY_MS + HOUR_MS);
    lack(0);
    for (let n = 0; n < 3; n += 1) await pass(7 * HOUR_MS);
    expect([await standings(), lacking()]).toEqual([['rewarded 50', 'rewarded 50'], 0]);
  });

  it.each(terms)('is gone once it is missing for hours: %o', async (kept) => {
    const { found, standings } = await claimed(20, [18, 19], { terms: kept });
    lack(19);
    await pass(7 * DAY_MS + HOUR_MS);
    // Others read the post in the same hour.
    for (let n = 0; n < 3; n += 1) await claimAs(world, found, `fan${n}`);
    expect(lacking()).toBe(0);
    await pass(7 * HOUR_MS);
    await pass(HOUR_MS);
    expect([await standings(), lacking()]).toEqual([['rewarded 50', 'holdDays' in kept ? 'gone 0' : 'rewarded 0'], 1]);
  });

  it('takes part in a draw unless it is missing for hours', async () => {
    const { found, ids } = await claimed(20, [0, 18, 19], { terms: { draw: { beacon: 'round 5' } } });
    const readAgain = async (ms: number) => {
      world.pass(ms);
      await claimAs(world, found, `nobody${ms}`);
    };
    lack(18);
    await readAgain(DAY_MS);
    lack(18, 19);
    await readAgain(DAY_MS + 1);
    const input = { campaignId: found.campaign.id, winners: 2, beaconValue: 'v' };
    expect((await world.drawWinners(input)).participants).toEqual([ids[0], ids[2]]);
  });
});

describe('a list of an official API', () => {
  const settle = async (challengeId: number) => {
    const { storage, platforms, logger } = world;
    const deps = { storage, platforms, logger, clock: { now: world.now }, random: systemRandom };
    const relay = { handOver: async () => {} };
    await settleComments({ ...deps, relay })({ challengeId }, { signal: new AbortController().signal });
  };

  const listed = () => {
    const { instagram } = world.posts;
    const { getComments } = instagram;
    instagram.getComments = async (...given) => {
      const { expectedTotal: _, isPostTotal: __, ...page } = await getComments(...given);
      const comments = page.comments.map((one) => ({
        ...one,
        authorId: null,
        scopedAuthorId: `app/${one.username}`,
      }));
      return { ...page, comments, isWhole: true };
    };
  };

  it('ends the reward of an account whose number is known, though lists have no numbers', async () => {
    const found = await world.campaign({ terms: { holdDays: 7 } });
    for (let n = 0; n < 9; n += 1) world.posts.comment(`fan${n}`, 'hi', world.now(), String(n));
    const { id } = await claimAs(world, found, 'fan8');
    world.posts.state.profile = async (handle) =>
      ({ platform: 'instagram', handle, accountId: handle.slice(3) }) as Awaited<ReturnType<Platform['getProfile']>>;
    listed();
    world.posts.state.comments.pop();
    for (const ms of [7 * DAY_MS, 7 * HOUR_MS, 7 * HOUR_MS]) await pass(ms);
    expect((await world.storage.attempts.find(id))?.held?.why).toBe('gone');
  });

  it.each([
    ['is empty', 0],
    ['ends early', 25],
  ])('that %s once takes nothing back', async (_how, shown) => {
    const { state } = world.posts;
    listed();
    const { found, standings } = await claimed(40, [0, 39], { terms: { reverseOnRemoval: true } });
    const list = async (hours: number) => {
      world.pass(hours * HOUR_MS);
      await claimAs(world, found, `nobody${hours}`);
      await settle(found.challenge.id);
      await world.settle();
    };
    await list(6);
    state.shown = shown;
    await list(6.1);
    await list(0.1);
    expect(await standings()).toEqual(['rewarded 50', 'rewarded 50']);
    state.shown = Infinity;
    await list(1);
    state.comments.pop();
    await list(6.2);
    expect(await standings()).toEqual(['rewarded 50', 'rewarded 0']);
    expect(lacking()).toBe(1);
  });
});

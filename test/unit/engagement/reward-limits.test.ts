import { expect, it } from 'vitest';
import type { CampaignOfTest } from '../../support/engagement-world.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const world = worldOfEachTest({ clockTicks: true });

const settle = async () => {
  await world.settle();
  await world.queueChecks();
  await world.settle();
  await world.releaseHeld();
  await world.settle();
};

async function claimed(campaign: CampaignOfTest, names: readonly string[]) {
  const found = await world.campaign(campaign);
  const ids: number[] = [];
  for (const name of names) {
    world.posts.comment(name, 'Count me in');
    const { id } = await world.attempt(found.challenge.id, name);
    ids.push(id);
    await world.claim(found.challenge.id, id);
    await settle();
  }
  const states = async () =>
    Promise.all(ids.map(async (id) => ((attempt) => attempt.held?.why ?? attempt.state)(await world.stored(id))));
  return { found, ids, states };
}

it('points that are taken back pay the next one in line', async () => {
  const terms = { recheckDays: 30, reverseOnRemoval: true };
  const { found, ids, states } = await claimed({ limits: { pointsBudget: 60 }, terms }, ['ann', 'bob', 'cid']);
  expect(await states()).toEqual(['rewarded', 'limit', 'limit']);
  world.posts.state.comments = world.posts.state.comments.filter(({ username }) => username !== 'ann');
  world.pass(31 * DAY_MS);
  await settle();
  expect(await states()).toEqual(['rewarded', 'rewarded', 'limit']);
  expect((await world.stored(ids[0] ?? 0)).pointsAwarded).toBe(0);
  expect((await world.stored(ids[1] ?? 0)).pointsAwarded).toBe(50);
  const detail = await world.getCampaign({ campaignId: found.campaign.id, caller: null });
  expect(detail.limitsUsed).toEqual({ rewards: 1, points: 50 });
  // A job that comes once more changes nothing.
  await world.reward({ attemptId: ids[0] ?? 0 });
  await settle();
  expect(await states()).toEqual(['rewarded', 'rewarded', 'limit']);
});

/** Of one creator who has claimed at two campaigns, the attempt that the limit of the day holds. */
async function heldForDay() {
  const limits = { pointsPerCreatorAndDay: 60 };
  const first = await claimed({ limits }, ['ann']);
  const { brandId } = first.found.campaign;
  const second = await world.campaign({ brandId, limits });
  const { userId } = await world.stored(first.ids[0] ?? 0);
  const { id } = await world.createAttempt({ challengeId: second.challenge.id, creator: { userId } });
  await world.claim(second.challenge.id, id);
  await settle();
  const { held, checkAt } = await world.stored(id);
  expect(held).toMatchObject({ why: 'limit', note: 'the points of the day are used up' });
  return { id, checkAt, campaignId: second.campaign.id };
}

it('points of a creator over the limit of the day are paid the next day', async () => {
  const { id, checkAt } = await heldForDay();
  expect(checkAt?.toISOString()).toMatch(/T00:00:00.000Z$/);
  await settle();
  expect((await world.stored(id)).state).toBe('verified');
  world.pass(DAY_MS);
  await settle();
  expect(await world.stored(id)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
});

it('points of a creator over the limit of the day are paid when that is raised', async () => {
  const { id, campaignId } = await heldForDay();
  await world.updateCampaign({ campaignId, changes: { limits: { pointsPerCreatorAndDay: 100 } } });
  await settle();
  expect(await world.stored(id)).toMatchObject({ state: 'rewarded', pointsAwarded: 50 });
});

it('limits that no reward fits into are refused', async () => {
  const { found } = await claimed({ limits: { maxRewards: 1 } }, []);
  const { id: campaignId, brandId } = found.campaign;
  for (const limits of [{ pointsBudget: 40 }, { pointsPerCreatorAndDay: 49 }]) {
    const refused = { code: 'INVALID_REQUEST', message: expect.stringContaining('at least pointsReward') };
    await expect(world.campaign({ brandId, limits })).rejects.toMatchObject(refused);
    await expect(world.updateCampaign({ campaignId, changes: { limits } })).rejects.toMatchObject(refused);
  }
});

import { expect } from 'vitest';
import { createCampaign } from '../fixtures.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

const PARALLEL = 12;

/** Many callers at once. Ids may be used up by the losers, so this area comes after those that compare them. */
export async function races(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const many = async (routeId: string, exchange: Parameters<Stage['send']>[1]) => {
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => stage.send(routeId, exchange, false)));
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    return { answers, statuses };
  };
  const body = { externalId: 'r-one', platform: 'instagram', handle: 'ada.runs' };
  const registered = await many('registerCreator', { body });
  expect(registered.statuses).toEqual([...Array.from({ length: PARALLEL - 1 }, () => 200), 201]);
  expect(new Set(registered.answers.map(({ json }) => Number(json.data?.socialAccount?.id))).size).toBe(1);
  expect(new Set(registered.answers.map(({ json }) => Number(json.data?.user?.id))).size).toBe(1);

  const { challengeId, campaignId } = await createCampaign(stage, 'races', posts.instagram.url);
  const attempts = await many('createAttempt', { params: { challengeId }, body: { externalId: 'r-one' } });
  expect(attempts.statuses).toEqual([201, ...Array.from({ length: PARALLEL - 1 }, () => 409)]);
  const attemptId = Number(attempts.answers.find(({ status }) => status === 201)?.json.data?.id);
  const forced = await many('forceVerify', { params: { challengeId, attemptId } });
  expect(forced.statuses).toEqual([200, ...Array.from({ length: PARALLEL - 1 }, () => 409)]);
  const params = { id: campaignId };
  await stage.until('summariseCampaign', { params }, ({ data }) => Number(data?.totalPointsIssued) > 0);
  const { data } = await stage.ok(200, 'summariseCampaign', { params });
  expect(data).toMatchObject({ totalAttempts: 1, totalRewarded: 1, totalPointsIssued: 50 });

  const brands = await many('createBrand', { body: { name: 'Race', slug: 'races-brand' } });
  expect(brands.statuses).toEqual([201, ...Array.from({ length: PARALLEL - 1 }, () => 409)]);
}

import { expect } from 'vitest';
import type { JsonValue } from '../../support/client.ts';
import { CAMPAIGN_KEYS, CHALLENGE_KEYS, createBrand, createCampaign, createCreator, expectKeys } from '../fixtures.ts';
import type { Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

export async function campaigns(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const brandId = await createBrand(stage, 'campaigns');
  const full = {
    brandId,
    title: 'Full',
    description: 'All fields',
    imageUrl: 'https://example.com/image.png',
    pointsReward: 0,
    startsAt: '2026-01-01T00:00:00+02:00',
    endsAt: '2036-01-01T00:00:00Z',
    challenge: { targetUrl: `${posts.instagram.url}?igsh=tracking`, instructionText: 'Say hi', action: 'comment' },
  };
  const created = await stage.ok(201, 'createCampaign', { body: full });
  expectKeys(created.data, 'campaign challenge');
  expectKeys(created.data?.campaign, CAMPAIGN_KEYS);
  expectKeys(created.data?.challenge, CHALLENGE_KEYS);
  expect(created.data?.campaign).toMatchObject({ startsAt: '2025-12-31T22:00:00.000Z', isActive: true });
  expect(created.data?.challenge).toMatchObject({ contentType: 'post', canonicalUrl: posts.instagram.url });
  const id = Number(created.data?.campaign?.id);
  const { contentId } = posts.tiktok;
  const short = await stage.ok(201, 'createCampaign', {
    body: { ...full, challenge: { targetUrl: 'https://www.tiktok.com/t/ZTparity1/', countHidden: true } },
  });
  expect(short.data?.challenge).toMatchObject({ platform: 'tiktok', contentId, countHidden: true });

  const challenge = { targetUrl: posts.instagram.url };
  const least = { brandId, title: 'Least', pointsReward: 1, challenge };
  const blank = await stage.ok(201, 'createCampaign', {
    body: { ...least, description: ' ', challenge: { ...challenge, instructionText: '' } },
  });
  expect(blank.data?.campaign?.description).toBeNull();
  expect(blank.data?.challenge?.instructionText).toBe('Comment on the post from your linked account.');
  for (const wrong of [
    { ...least, description: 'a\u0000b' },
    { ...least, description: 'x'.repeat(5_001) },
    { ...least, brandId: undefined },
    { ...least, title: '' },
    { ...least, pointsReward: -1 },
    { ...least, pointsReward: 1.5 },
    { ...least, pointsReward: '5' },
    { ...least, challenge: undefined },
    { ...least, challenge: {} },
    { ...least, challenge: { ...challenge, action: 'share' } },
    { ...least, challenge: { ...challenge, countHidden: 'yes' } },
    { ...least, startsAt: 'tomorrow' },
    { ...least, startsAt: '0000-01-01T00:00:00+00:01' },
    { ...least, endsAt: '9999-12-31T23:59:59-23:59' },
    { ...least, startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' },
    { ...least, challenge: { targetUrl: posts.tiktok.url, action: 'like' } },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'createCampaign', { body: wrong });
  }
  const tooLong = `${posts.instagram.url}?x=${'x'.repeat(2048)}`;
  for (const targetUrl of ['https://example.com/p/abc/', 'https://www.instagram.com/nasa/', 'nonsense', '', tooLong]) {
    await stage.refuse('VALIDATION_ERROR', 'createCampaign', { body: { ...least, challenge: { targetUrl } } });
  }
  await stage.refuse('POST_NOT_FOUND', 'createCampaign', {
    body: { ...least, challenge: { targetUrl: 'https://www.tiktok.com/t/ZTgone999/' } },
  });
  await stage.refuse('NOT_FOUND', 'createCampaign', { body: { ...least, brandId: 999_999 } });

  const list = await stage.ok(200, 'listCampaigns', { as: 'creator', query: { limit: 1 } });
  expectKeys(list, 'data pagination');
  expectKeys(list.pagination, 'page limit total');
  expectKeys(list.data?.['0'], CAMPAIGN_KEYS);
  await stage.ok(200, 'listCampaigns', { as: 'client', query: { page: 2, limit: 100 } });
  await stage.ok(200, 'listCampaigns', { query: 'page=1&page=2&unknown=x' });
  for (const state of ['upcoming', 'running', 'ended']) await stage.ok(200, 'listCampaigns', { query: { state } });
  const since = { createdFrom: '2020-01-01T00:00:00Z', createdBefore: '2020-01-01T01:00:00+02:00' };
  expect((await stage.ok(200, 'listCampaigns', { query: since })).data).toEqual([]);
  expect((await stage.ok(200, 'listCampaigns', { query: { brandId: 999_999 } })).pagination?.total).toBe(0);
  for (const query of ['state=paused', 'brandId=x', 'createdFrom=yesterday']) {
    await stage.refuse('INVALID_REQUEST', 'listCampaigns', { query });
  }
  for (const query of ['limit=0', 'limit=101', 'page=0', 'page=x', 'limit=1e1', 'page=-1', 'limit=']) {
    await stage.refuse('INVALID_REQUEST', 'listCampaigns', { query });
  }

  const detail = await stage.ok(200, 'getCampaign', { as: 'creator', params: { id } });
  expectKeys(detail.data, `${CAMPAIGN_KEYS} challenge myAttempt`);
  expectKeys(detail.data?.challenge, CHALLENGE_KEYS);
  expect(detail.data?.myAttempt).toBeNull();
  await stage.refuse('NOT_FOUND', 'getCampaign', { params: { id: 999_999 } });
  await stage.refuse('INVALID_REQUEST', 'getCampaign', { params: { id: 'x' } });

  await changes(stage, id, created.data as JsonValue);

  await createCreator(stage, 'parity-creator', 'instagram', 'cleo_quiet');
  const challengeId = Number(created.data?.challenge?.id);
  await stage.ok(201, 'createAttempt', { params: { challengeId }, body: { externalId: 'parity-creator' } });
  const mine = await stage.ok(200, 'getCampaign', { as: 'creator', params: { id } });
  expectKeys(mine.data?.myAttempt, 'id state retryCount createdAt updatedAt');
  const tried = await stage.ok(200, 'listCampaigns', { as: 'creator', query: { mine: 'true' } });
  expect(Object.values(tried.data ?? {}).map((one) => one.id)).toEqual([id]);
  const all = await stage.ok(200, 'listCampaigns', { as: 'creator', query: { mine: 'false' } });
  expect(Number(all.pagination?.total)).toBeGreaterThan(1);
  await stage.refuse('INVALID_REQUEST', 'listCampaigns', { query: { mine: 'true' } });
  await stage.refuse('INVALID_REQUEST', 'listCampaigns', { as: 'creator', query: { mine: 'yes' } });
  expect((await stage.ok(200, 'getCampaign', { as: 'client', params: { id } })).data?.myAttempt).toBeNull();

  const summary = (await stage.ok(200, 'summariseCampaign', { params: { id } })).data;
  expectKeys(summary, 'campaignId totalAttempts byState totalVerified totalRewarded totalPointsIssued');
  expect(summary?.byState).toMatchObject({ created: 1, rewarded: 0 });
  await stage.refuse('NOT_FOUND', 'summariseCampaign', { params: { id: 999_999 } });

  const results = await stage.ok(200, 'listResults', { params: { id }, query: { state: 'created' } });
  expectKeys(
    results.data?.['0'],
    'attemptId userId externalId displayName platform platformUsername state waiting retryCount pointsAwarded matchedComment verifiedAt rewardedAt createdAt updatedAt',
  );
  expect((await stage.ok(200, 'listResults', { params: { id }, query: { state: 'rewarded' } })).data).toEqual([]);
  for (const [q, total] of [
    ['Parity-cre', 1],
    ['@CLEO_', 1],
    ['.*', 0],
  ] as const) {
    expect((await stage.ok(200, 'listResults', { params: { id }, query: { q } })).pagination?.total).toBe(total);
  }
  const titled = await stage.ok(200, 'listCampaigns', { query: { q: 'uLL', brandId } });
  expect(Object.values(titled.data ?? {}).every((one) => String(one.title) === 'Full')).toBe(true);
  expect(titled.pagination?.total).toBe(1);
  const walked: string[] = [];
  for (let cursor = ''; cursor !== 'null'; ) {
    const query = { brandId, sort: '-title', limit: 2, cursor };
    const part = await stage.ok(200, 'listCampaigns', { query });
    walked.push(...Object.values(part.data ?? {}).map(({ title }) => String(title)));
    cursor = String(part.pagination?.nextCursor);
  }
  expect(walked.length).toBe(3);
  expect(walked).toEqual(walked.toSorted().toReversed());
  const byChange = { limit: 1, sort: '-updatedAt', cursor: '' };
  const changed = await stage.ok(200, 'listResults', { params: { id }, query: byChange });
  expect(changed.pagination?.total).toBe(1);
  await stage.refuse('INVALID_REQUEST', 'listCampaigns', { query: { sort: 'pointsReward' } });
  await stage.refuse('INVALID_REQUEST', 'listResults', { params: { id }, query: { sort: 'title' } });
  await stage.refuse('INVALID_REQUEST', 'listResults', { params: { id }, query: { state: 'unknown' } });
  await stage.refuse('NOT_FOUND', 'listResults', { params: { id: 999_999 } });

  await draws(stage, brandId, posts.instagram.url);
  await stage.refuse('CAMPAIGN_HAS_ATTEMPTS', 'deleteCampaign', { params: { id } });
  const ended = await stage.ok(200, 'endCampaign', { params: { id } });
  expectKeys(ended.data, 'id isActive endsAt');
  expect(await stage.ok(200, 'endCampaign', { params: { id } })).toEqual(ended);
  await stage.refuse('NOT_FOUND', 'endCampaign', { params: { id: 999_999 } });
  await stage.refuse('CONFLICT', 'updateCampaign', { params: { id }, body: { endsAt: '2037-01-01T00:00:00Z' } });
  await stage.ok(200, 'updateCampaign', { params: { id }, body: { title: 'Ended' } });
  await stage.refuse('CONFLICT', 'deleteBrand', { params: { brandId } });
  const past = await createCampaign(stage, 'campaigns-past', posts.instagram.url, { endsAt: '2026-02-01T00:00:00Z' });
  const pastEnd = await stage.ok(200, 'endCampaign', { params: { id: past.campaignId } });
  expect(pastEnd.data?.endsAt).toBe('2026-02-01T00:00:00.000Z');

  const params = { id: past.campaignId };
  expect(await stage.ok(200, 'deleteCampaign', { params })).toEqual({ data: { id: past.campaignId } });
  await stage.refuse('NOT_FOUND', 'deleteCampaign', { params });
  await stage.refuse('NOT_FOUND', 'getCampaign', { params });
  await stage.refuse('NOT_FOUND', 'listComments', { params: { challengeId: past.challengeId } });
}

async function changes(stage: Stage, id: number, { campaign, challenge }: JsonValue): Promise<void> {
  const change = async (body: object) => (await stage.ok(200, 'updateCampaign', { params: { id }, body })).data;
  const stored = { campaign, challenge };
  expect(await change({})).toEqual(stored);
  const changed = await change({
    title: ' Changed ',
    description: '',
    imageUrl: null,
    pointsReward: 9,
    startsAt: null,
    endsAt: '2036-02-01T00:00:00+01:00',
    instructionText: 'Say more',
  });
  expectKeys(changed, 'campaign challenge');
  expect(changed).toEqual({
    campaign: {
      ...(campaign as object),
      title: 'Changed',
      description: null,
      imageUrl: null,
      pointsReward: 9,
      startsAt: null,
      endsAt: '2036-01-31T23:00:00.000Z',
    },
    challenge: { ...(challenge as object), instructionText: 'Say more' },
  });
  const again = await change({ instructionText: null });
  expect(again?.challenge?.instructionText).toBe('Comment on the post from your linked account.');
  const detail = (await stage.ok(200, 'getCampaign', { params: { id } })).data;
  expect(detail).toMatchObject({ title: 'Changed', pointsReward: 9, challenge: again?.challenge });
  for (const body of [
    { title: '' },
    { title: null },
    { pointsReward: -1 },
    { pointsReward: null },
    { imageUrl: 'nonsense' },
    { startsAt: '2036-02-01T00:00:00Z' },
    { brandId: 1 },
    { challenge: { instructionText: 'x' } },
    { isActive: false },
    { limits: {} },
    { limits: { maxRewards: 0 } },
    { limits: { maxRewards: 100_001 } },
    { limits: { most: 1 } },
    { terms: { holdDays: 0 } },
    { terms: { holdDays: 1.5 } },
    { terms: { recheckDays: 366 } },
    { terms: { reverseOnRemoval: 'yes' } },
    { terms: { hold: 1 } },
    { terms: {} },
    { challenge: { rules: {} } },
    { challenge: { countHidden: null } },
    { challenge: { rules: { words: { any: ['...'] } } } },
    { challenge: { rules: { hashtags: ['two words'] } } },
    { challenge: { rules: { mentions: 21 } } },
    { challenge: { rules: { notOnlyEmoji: false } } },
    { challenge: { rules: { regex: '.*' } } },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'updateCampaign', { params: { id }, body });
  }
  const rules = { words: { any: ['spring'] }, hashtags: ['#acme'], mentions: 2, since: 'campaign-start' };
  expect((await change({ challenge: { rules } }))?.challenge?.rules).toEqual(rules);
  expect((await change({ challenge: { rules: null } }))?.challenge).not.toHaveProperty('rules');
  for (const countHidden of [true, false]) {
    expect((await change({ challenge: { countHidden } }))?.challenge).toMatchObject({ countHidden });
  }
  const limits = { maxRewards: 100, pointsBudget: 900, pointsPerCreatorAndDay: 50 };
  expect((await change({ limits }))?.campaign?.limits).toEqual(limits);
  const limited = (await stage.ok(200, 'getCampaign', { params: { id } })).data;
  expect(limited).toMatchObject({ limits, limitsUsed: { rewards: 0, points: 0 } });
  expect((await change({ limits: null }))?.campaign).not.toHaveProperty('limits');
  const terms = { holdDays: 7, recheckDays: 30, reverseOnRemoval: true, review: 'signals' };
  expect((await change({ terms }))?.campaign?.terms).toEqual(terms);
  expect((await change({ terms: null }))?.campaign).not.toHaveProperty('terms');
  await stage.refuse('NOT_FOUND', 'updateCampaign', { params: { id: 999_999 }, body: { title: 'x' } });
}

async function draws(stage: Stage, brandId: number, targetUrl: string): Promise<void> {
  const body = { brandId, title: 'Raffle', pointsReward: 1, challenge: { targetUrl } };
  for (const draw of [null, {}, { beacon: '' }, { beacon: 'x', commitment: 'x' }]) {
    await stage.refuse('INVALID_REQUEST', 'createCampaign', { body: { ...body, terms: { draw } } });
  }
  const terms = { draw: { beacon: 'drand round 5000000' } };
  const { campaign, challenge } = (await stage.ok(201, 'createCampaign', { body: { ...body, terms } })).data ?? {};
  const params = { id: Number(campaign?.id) };
  const commitment = campaign?.terms?.draw?.commitment;
  await stage.refuse('NOT_FOUND', 'readDraw', { params });
  const attempt = { params: { challengeId: Number(challenge?.id) }, body: { externalId: 'parity-creator' } };
  const attemptId = Number((await stage.ok(201, 'createAttempt', attempt)).data?.id);
  const drawn = { winners: 1, beaconValue: 'f477d5c89f21' };
  await stage.refuse('CONFLICT', 'drawWinners', { params, body: drawn });
  await stage.ok(200, 'forceVerify', { params: { ...attempt.params, attemptId } });
  for (const wrong of [{}, { ...drawn, winners: 0 }, { ...drawn, winners: 100_001 }, { ...drawn, beaconValue: ' ' }]) {
    await stage.refuse('INVALID_REQUEST', 'drawWinners', { params, body: wrong });
  }
  const proof = (await stage.ok(200, 'drawWinners', { params, body: drawn })).data;
  expectKeys(proof, 'campaignId commitment seed beacon beaconValue participants winners drawnAt');
  expect(proof).toMatchObject({ commitment, participants: [attemptId], winners: [attemptId] });
  expect((await stage.ok(200, 'drawWinners', { params, body: drawn })).data).toEqual(proof);
  await stage.refuse('CONFLICT', 'drawWinners', { params, body: { ...drawn, beaconValue: 'f477d5c89f22' } });
  expect((await stage.ok(200, 'readDraw', { params })).data).toEqual(proof);
  for (const id of ['drawWinners', 'readDraw']) {
    await stage.refuse('NOT_FOUND', id, { params: { id: 999_999 }, ...(id === 'drawWinners' && { body: drawn }) });
  }
}

import { expect } from 'vitest';
import { createBrand, createCampaign, createCreator, expectKeys, subscribe } from '../fixtures.ts';
import type { Exchange, Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

const ATTEMPT_KEYS =
  'id userId challengeId state retryCount maxRetries lastVerificationAt verificationDeadline stateHistory metadata createdAt updatedAt';
const EVENTS = ['creator.verified', 'reward.issued', 'verification.failed'];

export async function attempts(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const { brandId, campaignId, challengeId } = await createCampaign(stage, 'attempts', posts.instagram.url);
  await subscribe(stage, brandId, EVENTS);
  const ada = await createCreator(stage, 'a-ada', 'instagram', 'ada.runs');
  await createCreator(stage, 'a-cleo', 'instagram', 'cleo_quiet');
  await createCreator(stage, 'a-ben', 'instagram', 'ben_outdoors');
  await createCreator(stage, 'a-tok', 'tiktok', 'dana.moves');

  const at = { challengeId };
  const made = await stage.ok(201, 'createAttempt', { params: at, body: { userId: ada } });
  expectKeys(made.data, ATTEMPT_KEYS);
  expect(made.data).toMatchObject({ state: 'created', retryCount: 0, maxRetries: 3, verificationDeadline: null });
  const attemptId = Number(made.data?.id);
  const params = { challengeId, attemptId };
  const twice = await stage.refuse('ATTEMPT_EXISTS', 'createAttempt', { params: at, body: { externalId: 'a-ada' } });
  expect(twice.json.error?.details?.attemptId).toBe(attemptId);
  for (const wrong of [{}, { userId: ada, externalId: 'a-ada' }, { userId: 'x' }, { userId: 0 }, { externalId: '' }]) {
    await stage.refuse('INVALID_REQUEST', 'createAttempt', { params: at, body: wrong });
  }
  await stage.refuse('NOT_FOUND', 'createAttempt', { params: at, body: { externalId: 'nobody' } });
  await stage.refuse('NOT_FOUND', 'createAttempt', { params: { challengeId: 999_999 }, body: { userId: ada } });
  await stage.refuse('HANDLE_NOT_LINKED', 'createAttempt', { params: at, body: { externalId: 'a-tok' } });
  const over = await createCampaign(stage, 'attempts-over', posts.instagram.url, { endsAt: '2026-02-01T00:00:00Z' });
  await stage.refuse('CAMPAIGN_INACTIVE', 'createAttempt', {
    params: { challengeId: over.challengeId },
    body: { userId: ada },
  });
  await stage.refuse('EVENT_NOT_ELIGIBLE', 'redeliverWebhooks', { params });

  // Claimed, matched, rewarded.
  const opened = await stage.ok(200, 'progressAttempt', { params, body: { action: 'target_opened' } });
  expect(opened).toEqual({ data: { id: attemptId, state: 'target_opened' } });
  await stage.ok(200, 'progressAttempt', { params, body: { action: 'target_opened' } });
  const claimed = await stage.ok(200, 'progressAttempt', { params, body: { action: 'claim_completion' } });
  expect(claimed).toEqual({ data: { id: attemptId, state: 'verification_pending' } });
  const rewarded = await stage.until('getAttempt', { params }, ({ data }) => String(data?.state) === 'rewarded');
  expectKeys(rewarded.data, `${ATTEMPT_KEYS} matchedComment pointsAwarded waiting`);
  expectKeys(rewarded.data?.matchedComment, 'commentText commentedAt');
  expectKeys(rewarded.data?.stateHistory?.['0'], 'state at reason');
  expect(rewarded.data).toMatchObject({ pointsAwarded: 50, matchedComment: { commentText: 'Count me in!' } });
  const announced = await stage.events(2);
  expect(announced.map(({ event }) => event)).toEqual(['creator.verified', 'reward.issued']);
  expectKeys(
    announced[0]?.data,
    'challengeId userId externalUserId username platform campaignTitle attemptId commentText',
  );
  expectKeys(announced[1]?.data, 'challengeId userId externalUserId username platform campaignTitle attemptId points');
  stage.note('events of a reward', announced);

  const own = await stage.ok(200, 'listCreatorAttempts', { params: { userId: ada }, query: { limit: 1, cursor: '' } });
  expectKeys(
    own.data?.['0'],
    'attemptId campaignId campaignTitle challengeId platform state waiting reason pointsAwarded createdAt updatedAt',
  );
  expect(own.data?.['0']).toMatchObject({
    attemptId,
    campaignId,
    state: 'rewarded',
    reason: 'reward issued: 50 points',
  });
  const sent = await stage.until('listCreatorDeliveries', { params: { userId: ada } }, ({ data }) => {
    const rows = Object.values(data ?? {});
    return rows.length === 2 && rows.every(({ status }) => String(status) === 'succeeded');
  });
  expect(sent.data?.['0']).toMatchObject({ attemptId, brandId });
  const points = await stage.ok(200, 'getCreatorPoints', { params: { userId: ada }, query: { limit: 1, cursor: '' } });
  expectKeys(points, 'data pagination');
  const entries = [{ at: rewarded.data?.updatedAt, points: 50, reason: 'reward' }];
  const rewards = [
    { attemptId, campaignId, campaignTitle: 'Campaign attempts', challengeId, brandId, pointsAwarded: 50, entries },
  ];
  expect(points.data).toEqual({ total: 50, byBrand: [{ brandId, points: 50 }], rewards });
  await stage.refuse('FORBIDDEN', 'getCreatorPoints', { as: 'client', params: { userId: ada } });
  for (const id of ['listCreatorAttempts', 'listCreatorDeliveries', 'getCreatorPoints']) {
    await stage.refuse('NOT_FOUND', id, { params: { userId: 999_999 } });
    await stage.refuse('INVALID_REQUEST', id, { params: { userId: 'x' } });
  }
  const day = `${String(rewarded.data?.createdAt).slice(0, 10)}T00:00:00.000Z`;
  const range = { by: 'day', from: day, to: new Date(Date.parse(day) + 86_400_000).toISOString() };
  const series = await stage.ok(200, 'readSeries', { query: { what: 'attempts', campaignId, ...range } });
  expect(Object.values(series.data ?? {})).toEqual([
    { at: day, name: 'attempts', count: 1 },
    { at: day, name: 'points', count: 50 },
    { at: day, name: 'rewards', count: 1 },
    { at: day, name: 'verifications', count: 1 },
  ]);
  expect(await stage.ok(200, 'readSeries', { query: { what: 'attempts', brandId, ...range } })).toEqual(series);
  const early = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  expect((await stage.ok(200, 'readSeries', { query: { what: 'reads', ...early } })).data).toEqual([]);
  const tooLong = { what: 'reads', ...early, to: '2026-02-01T00:00:00Z' };
  const wrong = { what: 'deliveries', ...range };
  for (const query of ['', 'what=attempts&webhookId=1', tooLong, wrong, { ...range, what: 'reads', to: range.from }]) {
    await stage.refuse('INVALID_REQUEST', 'readSeries', { query });
  }
  await stage.refuse('NOT_FOUND', 'readSeries', { query: { what: 'attempts', campaignId: 999_999, ...range } });
  const noHook = { what: 'deliveries', brandId, webhookId: 999_999, ...range };
  await stage.refuse('NOT_FOUND', 'readSeries', { query: noHook });
  await stage.refuse('FORBIDDEN', 'readSeries', { as: 'client', query: { what: 'reads', ...range } });
  const named = await stage.ok(200, 'search', { query: { q: 'A-ADA' } });
  expect(named.data).toContainEqual({ kind: 'creator', id: ada, title: 'a-ada', path: `/creators/${ada}` });
  const numbered = await stage.ok(200, 'search', { query: { q: String(attemptId) } });
  const path = `/campaigns/${campaignId}/participants/${attemptId}`;
  expect(numbered.data).toContainEqual(expect.objectContaining({ kind: 'attempt', id: attemptId, path }));
  expect((await stage.ok(200, 'search', { query: { q: 'msg_%' } })).data).toEqual([]);
  for (const query of ['', 'q=', `q=${'x'.repeat(201)}`]) await stage.refuse('INVALID_REQUEST', 'search', { query });
  await stage.refuse('FORBIDDEN', 'search', { as: 'client', query: { q: 'a' } });

  for (const action of ['target_opened', 'claim_completion']) {
    await stage.refuse('INVALID_TRANSITION', 'progressAttempt', { params, body: { action } });
  }
  for (const body of [{}, { action: 'unknown' }, { action: null }]) {
    await stage.refuse('INVALID_REQUEST', 'progressAttempt', { params, body });
  }
  await stage.refuse('INVALID_TRANSITION', 'forceVerify', { params });
  const again = await stage.ok(200, 'redeliverWebhooks', { params });
  expect(again).toEqual({ data: { attemptId, redelivered: ['creator.verified', 'reward.issued'] } });
  stage.note('events sent again', await stage.events(2));
  const some = { events: ['reward.issued', 'verification.failed'] };
  const one = await stage.ok(200, 'redeliverWebhooks', { params, body: some });
  expect(one.data?.redelivered).toEqual(['reward.issued']);
  await stage.events(1);
  await stage.refuse('EVENT_NOT_ELIGIBLE', 'redeliverWebhooks', { params, body: { events: ['verification.failed'] } });
  await stage.refuse('INVALID_REQUEST', 'redeliverWebhooks', { params, body: { events: ['unknown'] } });
  await stage.refuse('INVALID_REQUEST', 'redeliverWebhooks', { params, body: { events: [] } });

  // Claimed without a comment: three retries, then for good.
  const cleo = await stage.ok(201, 'createAttempt', { params: at, body: { externalId: 'a-cleo' } });
  const quiet = { challengeId, attemptId: Number(cleo.data?.id) };
  for (let claim = 0; claim <= 3; claim += 1) {
    await stage.ok(200, 'progressAttempt', { params: quiet, body: { action: 'claim_completion' } });
    const failed = claim < 3 ? 'failed_retryable' : 'failed_terminal';
    const state = await stage.until('getAttempt', { params: quiet }, ({ data }) => String(data?.state) === failed);
    expect(state.data?.retryCount).toBe(claim);
    const [event] = await stage.events(1);
    expect(event?.data.reason).toBe(claim < 3 ? 'retryable' : 'terminal');
  }
  await stage.refuse('INVALID_TRANSITION', 'progressAttempt', { params: quiet, body: { action: 'claim_completion' } });
  await stage.refuse('INVALID_TRANSITION', 'forceVerify', { params: quiet });
  const failedAgain = await stage.ok(200, 'redeliverWebhooks', { params: quiet });
  expect(failedAgain.data?.redelivered).toEqual(['verification.failed']);
  await stage.events(1);

  // Forced by an admin.
  const ben = await stage.ok(201, 'createAttempt', { params: at, body: { externalId: 'a-ben' } });
  const forced = { challengeId, attemptId: Number(ben.data?.id) };
  const verified = await stage.ok(200, 'forceVerify', { params: forced });
  expect(verified).toEqual({ data: { id: forced.attemptId, state: 'verified', previousState: 'created' } });
  await stage.until('getAttempt', { params: forced }, ({ data }) => String(data?.state) === 'rewarded');
  stage.note('events of a forced verification', await stage.events(2));

  const byHandle = await stage.ok(200, 'getAttemptByHandle', { params: { challengeId, handle: '@ADA.runs' } });
  expect(byHandle.data).toEqual(rewarded.data);
  expect(await stage.ok(200, 'getAttemptByHandle', { params: { challengeId, handle: 'nobody' } })).toEqual({
    data: null,
  });
  await stage.refuse('NOT_FOUND', 'getAttemptByHandle', { params: { challengeId: 999_999, handle: 'ada.runs' } });
  const elsewhere = { challengeId: over.challengeId, attemptId };
  for (const id of ['getAttempt', 'forceVerify', 'redeliverWebhooks']) {
    await stage.refuse('NOT_FOUND', id, { params: elsewhere });
    await stage.refuse('NOT_FOUND', id, { params: { challengeId, attemptId: 999_999 } });
    await stage.refuse('INVALID_REQUEST', id, { params: { challengeId, attemptId: 'by-handle' } });
  }
  await stage.refuse('NOT_FOUND', 'progressAttempt', { params: elsewhere, body: { action: 'target_opened' } });
  await requiredAccounts(stage, posts.instagram.url);
  await reviewedRewards(stage, posts.instagram.url);
  await limitedRedelivery(stage, { brandId, params });
  const summary = (await stage.ok(200, 'summariseCampaign', { params: { id: campaignId } })).data;
  expect(summary).toMatchObject({ totalAttempts: 3, totalVerified: 2, totalRewarded: 2, totalPointsIssued: 100 });
}

/** The account decides, too. */
async function requiredAccounts(stage: Stage, targetUrl: string): Promise<void> {
  const requires = { minFollowers: 1_000_000_000, provenOnly: true, oneRewardPerAccount: true };
  const { campaignId, challengeId } = await createCampaign(stage, 'gated', targetUrl, { challenge: { requires } });
  const params = { id: campaignId };
  expect((await stage.ok(200, 'getCampaign', { params })).data?.challenge?.requires).toEqual(requires);
  const made = await stage.ok(201, 'createAttempt', { params: { challengeId }, body: { externalId: 'a-ada' } });
  const attempt = { params: { challengeId, attemptId: Number(made.data?.id) } };
  const claim = async (state: string) => {
    await stage.ok(200, 'progressAttempt', { ...attempt, body: { action: 'claim_completion' } });
    return (await stage.until('getAttempt', attempt, ({ data }) => String(data?.state) === state)).data;
  };
  expect(await claim('failed_retryable')).toMatchObject({
    unmetRules: ['followers', 'not-proven'],
    waiting: { message: 'The account shows too few followers and is not proven to be the creator’s.' },
  });
  for (const wrong of [{}, { unknown: 'pass' }, { minPosts: 0 }, { public: false }, { minLikes: 1 }]) {
    await stage.refuse('INVALID_REQUEST', 'updateCampaign', { params, body: { challenge: { requires: wrong } } });
  }
  await stage.ok(200, 'updateCampaign', {
    params,
    body: { challenge: { requires: { minFollowers: 1, oneRewardPerAccount: true } } },
  });
  // By stored profiles, which others of the brand's creators lack.
  const preview = (await stage.ok(200, 'previewRewards', { params })).data;
  expectKeys(preview, 'campaignId matched pointsReward totalPoints afterEnd shared ineligible creators');
  await createCreator(stage, 'a-twin', 'instagram', 'ada.runs');
  expect(await claim('rewarded')).toMatchObject({ retryCount: 1, signals: ['shared-account'] });
  const signalled = async (signal: string) => (await stage.ok(200, 'listResults', { params, query: { signal } })).data;
  expect(await signalled('shared-account')).toMatchObject([{ externalId: 'a-ada', signals: ['shared-account'] }]);
  expect(await signalled('new-account')).toEqual([]);
  await stage.refuse('INVALID_REQUEST', 'listResults', { params, query: { signal: 'odd' } });
  await stage.refuse('CONFLICT', 'updateCampaign', { params, body: { challenge: { requires: null } } });
}

/** A person decides. */
async function reviewedRewards(stage: Stage, targetUrl: string): Promise<void> {
  const terms = { review: 'all' };
  const { brandId, campaignId, challengeId } = await createCampaign(stage, 'reviewed', targetUrl, { terms });
  const campaign = { params: { id: campaignId } };
  expect((await stage.ok(200, 'getCampaign', campaign)).data?.terms).toEqual(terms);
  expect((await stage.ok(200, 'updateCampaign', { ...campaign, body: { terms: null } })).data?.campaign?.terms).toBe(
    undefined,
  );
  for (const wrong of [{}, { review: 'some' }, { all: true }]) {
    await stage.refuse('INVALID_REQUEST', 'updateCampaign', { ...campaign, body: { terms: wrong } });
  }
  await stage.ok(200, 'updateCampaign', { ...campaign, body: { terms } });
  const made = await stage.ok(201, 'createAttempt', { params: { challengeId }, body: { externalId: 'a-ada' } });
  const attempt = { params: { challengeId, attemptId: Number(made.data?.id) } };
  const decide = (decision: string) => ({ ...attempt, body: { decision, reason: `Because of ${decision}` } });
  await stage.refuse('INVALID_TRANSITION', 'reviewAttempt', decide('approve'));
  await stage.ok(200, 'progressAttempt', { ...attempt, body: { action: 'claim_completion' } });
  const held = await stage.until('getAttempt', attempt, ({ data }) => data?.held !== undefined);
  expect(held.data).toMatchObject({ state: 'verified', pointsAwarded: 0, held: { why: 'review' } });
  const waiting = await stage.ok(200, 'listResults', { ...campaign, query: { held: 'review' } });
  expect(waiting.data).toMatchObject([{ externalId: 'a-ada', held: { why: 'review' } }]);
  expect((await stage.ok(200, 'listResults', { ...campaign, query: { held: 'limit' } })).data).toEqual([]);
  for (const wrong of [{}, { decision: 'pay', reason: 'x' }, { decision: 'hold' }, { decision: 'hold', reason: '' }]) {
    await stage.refuse('INVALID_REQUEST', 'reviewAttempt', { ...attempt, body: wrong });
  }
  const refused = (await stage.ok(200, 'reviewAttempt', decide('refuse'))).data;
  expectKeys(refused, 'id state review');
  expect(refused).toMatchObject({ state: 'verified', review: { decision: 'refuse', reason: 'Because of refuse' } });
  expect((await stage.ok(200, 'getAttempt', attempt)).data).toMatchObject({ held: { why: 'refused' } });
  const elsewhere = { ...decide('approve'), params: { challengeId: 999_999, attemptId: attempt.params.attemptId } };
  await stage.refuse('NOT_FOUND', 'reviewAttempt', elsewhere);
  const body = { name: 'another brand', role: 'brand', brandId: await createBrand(stage, 'reviewer') };
  const foreign = { token: String((await stage.ok(201, 'createToken', { body })).data?.token) };
  await stage.refuse('NOT_FOUND', 'reviewAttempt', { as: foreign, ...decide('approve') });
  const own = { name: 'own brand', role: 'brand', brandId };
  const as = { token: String((await stage.ok(201, 'createToken', { body: own })).data?.token) };
  await stage.ok(200, 'reviewAttempt', { as, ...decide('approve') });
  const paid = await stage.until('getAttempt', attempt, ({ data }) => String(data?.state) === 'rewarded');
  expect(paid.data?.stateHistory).toMatchObject({
    4: { state: 'verified', reason: 'reward refused: Because of refuse' },
    5: { state: 'verified', reason: 'reward approved: Because of approve' },
  });
  expect(paid.data).not.toHaveProperty('held');
  await stage.refuse('CONFLICT', 'reviewAttempt', decide('refuse'));
}

/** A brand that redelivers without end is told to wait, for tests too; others are not. */
async function limitedRedelivery(
  stage: Stage,
  { brandId, params }: { readonly brandId: number; readonly params: Exchange['params'] },
): Promise<void> {
  const body = { name: 'eager brand', role: 'brand', brandId };
  const as = { token: String((await stage.ok(201, 'createToken', { body })).data?.token) };
  const nothing = { as, params, body: { events: ['verification.failed'] } };
  for (let sent = 0; sent < 50; sent += 1) await stage.send('redeliverWebhooks', nothing, false);
  const refused = await stage.refuse('SCRAPING_RATE_LIMITED', 'redeliverWebhooks', nothing);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const webhook = { as, params: { brandId, webhookId: 999_999 } };
  await stage.refuse('SCRAPING_RATE_LIMITED', 'testWebhook', webhook);
  const since = '2026-01-01T00:00:00Z';
  await stage.refuse('SCRAPING_RATE_LIMITED', 'replayWebhookDeliveries', { ...webhook, body: { since } });
  await stage.ok(200, 'redeliverWebhooks', { params, body: { events: ['creator.verified'] } });
  await stage.events(1);
}

/** Verify-and-reward over stored comments, and like challenges. */
export async function batchRewards(stage: Stage, { posts }: ParityWorld): Promise<void> {
  const { brandId, campaignId, challengeId } = await createCampaign(stage, 'batch', posts.tiktok.url);
  await subscribe(stage, brandId, ['creator.verified', 'reward.issued']);
  await createCreator(stage, 'b-dana', 'tiktok', 'dana.moves');
  await createCreator(stage, 'b-none', 'tiktok', 'no.comment');
  const params = { id: campaignId };
  expect((await stage.ok(200, 'verifyAndReward', { params })).data).toEqual({ matched: 0, verified: 0, rewarded: 0 });
  await stage.ok(200, 'refreshComments', { params: { challengeId } });
  const preview = (await stage.ok(200, 'previewRewards', { params })).data;
  expectKeys(preview, 'campaignId matched pointsReward totalPoints afterEnd shared creators');
  expect(preview).toMatchObject({ matched: 2, pointsReward: 50, totalPoints: 100, afterEnd: 0, shared: 2 });
  expectKeys(
    preview?.creators?.['0'],
    'userId externalId displayName platformUsername matchedComment points isAfterEnd isShared',
  );
  const one = await stage.ok(200, 'previewRewards', { params, query: { limit: 1 } });
  expect(one.data).toMatchObject({ matched: 2, creators: [preview?.creators?.['0']] });
  for (const query of ['limit=0', 'limit=1001', 'limit=x']) {
    await stage.refuse('INVALID_REQUEST', 'previewRewards', { params, query });
  }
  await stage.refuse('NOT_FOUND', 'previewRewards', { params: { id: 999_999 } });
  const judged = (await stage.ok(200, 'previewRules', { params, body: {} })).data;
  expectKeys(judged, 'campaignId comments judged matching matchingAuthors unmet publishersKnown examples');
  expect(judged).toMatchObject({ matching: Number(judged?.comments), unmet: {}, publishersKnown: true });
  const rules = { minWords: 200, notByOwner: true };
  const strict = (await stage.ok(200, 'previewRules', { params, body: { rules, limit: 1 } })).data;
  expect(strict).toMatchObject({ matching: 0, publishersKnown: true, unmet: { 'min-words': judged?.comments } });
  expectKeys(strict?.examples?.['0'], 'username commentText commentedAt unmetRules');
  for (const body of [{ rules: {} }, { rules: { words: {} } }, { limit: 101 }, { all: true }]) {
    await stage.refuse('INVALID_REQUEST', 'previewRules', { params, body });
  }
  await stage.refuse('NOT_FOUND', 'previewRules', { params: { id: 999_999 }, body: {} });
  const batch = await stage.ok(200, 'verifyAndReward', { params });
  expectKeys(batch.data, 'matched verified rewarded');
  // dana.moves is linked under the externalIds of two creators.
  expect(batch.data).toMatchObject({ matched: 2, verified: 2 });
  expect((await stage.ok(200, 'previewRewards', { params })).data).toMatchObject({ matched: 0, creators: [] });
  await stage.refuse('CONFLICT', 'updateCampaign', { params, body: { pointsReward: 51 } });
  await stage.ok(200, 'updateCampaign', { params, body: { pointsReward: 50, title: 'After the rewards' } });
  const rewards = { params: { id: campaignId }, query: { state: 'rewarded' } };
  await stage.until('listResults', rewards, ({ pagination }) => Number(pagination?.total) === 2);
  stage.note('events of the batch', await stage.events(4));
  expect((await stage.ok(200, 'verifyAndReward', { params })).data).toEqual({ matched: 0, verified: 0, rewarded: 0 });
  await stage.refuse('NOT_FOUND', 'verifyAndReward', { params: { id: 999_999 } });

  const liked = await createCampaign(stage, 'batch-likes', posts.instagram.url, { challenge: { action: 'like' } });
  const like = await stage.ok(201, 'createAttempt', {
    params: { challengeId: liked.challengeId },
    body: { externalId: 'a-ada' },
  });
  const attempt = { challengeId: liked.challengeId, attemptId: Number(like.data?.id) };
  await stage.ok(200, 'progressAttempt', { params: attempt, body: { action: 'claim_completion' } });
  const done = await stage.until('getAttempt', { params: attempt }, ({ data }) => String(data?.state) === 'rewarded');
  expect(done.data?.matchedComment).toBeNull();
  const shown = await stage.ok(200, 'getCampaign', { params: { id: liked.campaignId } });
  expect(shown.data?.challenge?.action).toBe('like');
}

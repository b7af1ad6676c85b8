import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from 'zod';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { ATTEMPT_STATE_NAMES } from '../../../core/engagement/attempts/states.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { createDispatcher } from '../../../plugins/http/dispatcher.ts';
import { createOpenApiDocument } from '../../../plugins/http/openapi.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { createAttemptRoutes } from '../../../plugins/http/routes/attempts.ts';
import { createBrandRoutes } from '../../../plugins/http/routes/brands.ts';
import { createCampaignRoutes } from '../../../plugins/http/routes/campaigns.ts';
import { createCreatorRoutes } from '../../../plugins/http/routes/creators.ts';
import { createTokenRoutes } from '../../../plugins/http/routes/tokens.ts';
import { type ApiAnswer, type ApiClient, createApiClient } from '../../support/client.ts';
import { createEngagementWorld, type EngagementWorld, POST_URL } from '../../support/engagement-world.ts';
import { HOST_KINDS, type RunningHost, startHost } from '../../support/hosts.ts';

const keysOf = (value: unknown) => Object.keys(value as object).sort();
const words = (text: string) => text.split(' ').sort();

describe.each(HOST_KINDS)('over %s', (kind) => {
  let world: EngagementWorld;
  let host: RunningHost;
  let routes: Route[];
  let api: ApiClient;
  let tokens: { admin: string; client: string; creator: string };
  let slugs = 0;

  beforeAll(async () => {
    world = await createEngagementWorld();
    routes = [
      ...createCreatorRoutes(world.groups),
      ...createBrandRoutes(world.groups),
      ...createCampaignRoutes(world.groups),
      ...createAttemptRoutes(world.groups),
      ...createTokenRoutes(world.groups),
    ];
    const limiter = createMemoryRateLimiter();
    const dispatcher = createDispatcher({ authenticate: world.authenticate, limiter, logger: silentLogger });
    host = await startHost(kind, { routes, dispatcher });
    const make = async (role: 'admin' | 'client' | 'creator') =>
      (await world.createToken({ name: role, role, ...(role === 'creator' ? { externalId: 'ext-ada' } : {}) })).token;
    tokens = { admin: await make('admin'), client: await make('client'), creator: await make('creator') };
    api = createApiClient(host.baseUrl, tokens.admin);
  });
  afterAll(async () => {
    await host.close();
    await world.close();
  });

  /** Calls, and holds the answer against the schema that the route declares for its status. */
  async function call(id: string, path: string, body?: unknown, token = tokens.admin): Promise<ApiAnswer> {
    const route = routes.find((each) => each.id === id);
    if (route === undefined) throw new Error(`no route ${id}`);
    const answer = await api.call(route.method, path, { token, ...(body === undefined ? {} : { body }) });
    if (answer.status < 400) {
      const schema = route.responses[answer.status]?.schema;
      if (schema === undefined) throw new Error(`${id} does not declare ${answer.status}`);
      expect(encode(schema, schema.parse(answer.json))).toEqual(answer.json);
    }
    return answer;
  }

  async function campaign(challenge: object = {}) {
    slugs += 1;
    const brand = await call('createBrand', '/admin/brands', { name: 'Acme', slug: `acme-${slugs}` });
    const body = {
      brandId: brand.json.data?.id,
      title: 'T',
      pointsReward: 5,
      challenge: { targetUrl: POST_URL, ...challenge },
    };
    const { status, json } = await call('createCampaign', '/admin/campaigns', body);
    expect(status).toBe(201);
    return {
      campaignId: Number(json.data?.campaign?.id),
      challengeId: Number(json.data?.challenge?.id),
    };
  }

  it('registers, lists, recognises and disconnects a creator', async () => {
    const body = { externalId: 'ext-ada', platform: 'instagram', handle: '@Ada', extra: 'ignored' };
    const created = await call('registerCreator', '/social-accounts', body);
    expect(created.status).toBe(201);
    expect(keysOf(created.json.data)).toEqual(words('user socialAccount'));
    expect(keysOf(created.json.data?.user)).toEqual(words('id externalId email'));
    expect(keysOf(created.json.data?.socialAccount)).toEqual(words('id platform platformUsername profileData'));
    const again = await call('registerCreator', '/social-accounts', body);
    expect(again.status).toBe(200);
    expect(again.json).toEqual(created.json);

    const rows = (await call('listCreators', '/admin/creators')).json.data;
    expect(keysOf(rows?.['0'])).toEqual(
      words(
        'userId externalId email displayName avatarUrl platform platformUsername connectedAt profileData totalAttempts totalVerified totalRewarded totalPoints',
      ),
    );
    const known = await call('isHandleRegistered', `/admin/creators/verify/${encodeURIComponent('@ADA')}`);
    expect(known.json).toEqual({ data: { verified: true } });
    expect((await call('isHandleRegistered', '/admin/creators/verify/nobody')).json).toEqual({
      data: { verified: false },
    });

    await call('registerCreator', '/social-accounts', { ...body, handle: 'ada.old' });
    const link = { externalId: 'ext-ada', platform: 'instagram', handle: 'ADA.OLD' };
    const ended = await call('disconnectCreator', '/social-accounts/disconnect', link);
    expect(keysOf(ended.json.data)).toEqual(words('id platform platformUsername disconnectedAt'));
    expect((await call('disconnectCreator', '/social-accounts/disconnect', link)).status).toBe(404);

    const userId = created.json.data?.user?.id;
    expect((await call('refreshCreatorProfile', `/admin/creators/${userId}/refresh`)).json).toEqual({ data: {} });
    expect((await call('refreshCreatorProfile', '/admin/creators/999/refresh')).status).toBe(404);
  });

  it('shows campaigns to every token, the own attempt to the creator', async () => {
    const { campaignId, challengeId } = await campaign();
    await call('createAttempt', `/admin/challenges/${challengeId}/attempts`, { externalId: 'ext-ada' });
    const list = await call('listCampaigns', '/campaigns?limit=1', undefined, tokens.client);
    expect(list.json.pagination).toEqual({ page: 1, limit: 1, total: expect.any(Number) });
    const fields = 'id brandId title description imageUrl pointsReward isActive startsAt endsAt createdAt';
    expect(keysOf(list.json.data?.['0'])).toEqual(words(fields));
    const detail = await call('getCampaign', `/campaigns/${campaignId}`, undefined, tokens.creator);
    expect(keysOf(detail.json.data)).toEqual(words(`${fields} challenge myAttempt`));
    expect(keysOf(detail.json.data?.challenge)).toEqual(
      words('id campaignId platform contentType contentId canonicalUrl instructionText'),
    );
    expect(keysOf(detail.json.data?.myAttempt)).toEqual(words('id state retryCount createdAt updatedAt'));
    const forAdmin = await call('getCampaign', `/campaigns/${campaignId}`);
    expect(forAdmin.json.data?.myAttempt).toBeNull();
  });

  it('ends and deletes campaigns', async () => {
    const { campaignId, challengeId } = await campaign();
    const ended = await call('endCampaign', `/admin/campaigns/${campaignId}/end`);
    expect(ended.json.data).toEqual({ id: campaignId, isActive: false, endsAt: world.now().toISOString() });
    const late = await call('createAttempt', `/admin/challenges/${challengeId}/attempts`, { externalId: 'ext-ada' });
    expect([late.status, late.json.error?.code]).toEqual([409, 'CAMPAIGN_INACTIVE']);
    expect((await call('deleteCampaign', `/admin/campaigns/${campaignId}`)).json).toEqual({ data: { id: campaignId } });
    expect((await call('deleteCampaign', `/admin/campaigns/${campaignId}`)).status).toBe(404);
  });

  it('takes an attempt from creation to its reward and redelivers', async () => {
    world.posts.comment('ada', 'nice');
    const { campaignId, challengeId } = await campaign();
    const attempts = `/admin/challenges/${challengeId}/attempts`;
    const created = await call('createAttempt', attempts, { externalId: 'ext-ada' });
    expect(created.status).toBe(201);
    const fields =
      'id userId challengeId state retryCount maxRetries lastVerificationAt verificationDeadline stateHistory metadata createdAt updatedAt';
    expect(keysOf(created.json.data)).toEqual(words(fields));
    const id = created.json.data?.id;
    const conflict = await call('createAttempt', attempts, { userId: created.json.data?.userId });
    expect([conflict.status, conflict.json.error?.details]).toEqual([409, { attemptId: id, state: 'created' }]);

    const tooEarly = await call('redeliverWebhooks', `${attempts}/${id}/redeliver-webhooks`);
    expect([tooEarly.status, tooEarly.json.error?.code]).toEqual([409, 'EVENT_NOT_ELIGIBLE']);
    const opened = await call('progressAttempt', `${attempts}/${id}`, { action: 'target_opened' });
    expect(opened.json).toEqual({ data: { id, state: 'target_opened' } });
    const claimed = await call('progressAttempt', `${attempts}/${id}`, { action: 'claim_completion' });
    expect(claimed.json).toEqual({ data: { id, state: 'verification_pending' } });
    expect((await call('progressAttempt', `${attempts}/${id}`, { action: 'target_opened' })).status).toBe(409);
    await world.settle();

    const detail = await call('getAttempt', `${attempts}/${id}`);
    expect(keysOf(detail.json.data)).toEqual(words(`${fields} matchedComment pointsAwarded`));
    expect(detail.json.data).toMatchObject({
      state: 'rewarded',
      pointsAwarded: 5,
      matchedComment: { commentText: 'nice' },
    });
    expect((await call('getAttemptByHandle', `${attempts}/by-handle/@ADA`)).json).toEqual(detail.json);
    expect((await call('getAttemptByHandle', `${attempts}/by-handle/nobody`)).json).toEqual({ data: null });

    const path = `${attempts}/${id}/redeliver-webhooks`;
    expect((await call('redeliverWebhooks', path)).json).toEqual({
      data: { attemptId: id, redelivered: ['creator.verified', 'reward.issued'] },
      warning: 'Sent to nobody, since no webhook or subscriber wants it: creator.verified, reward.issued.',
    });
    expect((await call('redeliverWebhooks', path, { events: ['reward.issued'] })).json.data?.redelivered).toEqual([
      'reward.issued',
    ]);
    expect((await call('redeliverWebhooks', path, {})).status).toBe(200);
    expect((await call('redeliverWebhooks', path, { events: [] })).status).toBe(400);
    expect((await call('redeliverWebhooks', path, { events: ['unknown'] })).status).toBe(400);
    expect((await call('forceVerify', `${attempts}/${id}/force-verify`)).status).toBe(409);
    expect((await call('deleteCampaign', `/admin/campaigns/${campaignId}`)).status).toBe(409);

    const summary = await call('summariseCampaign', `/admin/campaigns/${campaignId}/summary`);
    expect(summary.json.data).toEqual({
      campaignId,
      totalAttempts: 1,
      byState: { ...Object.fromEntries(ATTEMPT_STATE_NAMES.map((state) => [state, 0])), rewarded: 1 },
      totalVerified: 1,
      totalRewarded: 1,
      totalPointsIssued: 5,
    });
    const results = await call('listResults', `/admin/campaigns/${campaignId}/results?state=rewarded`);
    expect(keysOf(results.json.data?.['0'])).toEqual(
      words(
        'attemptId userId externalId displayName platform platformUsername state retryCount pointsAwarded matchedComment verifiedAt rewardedAt createdAt updatedAt',
      ),
    );
    expect((await call('listResults', `/admin/campaigns/${campaignId}/results?state=nonsense`)).status).toBe(400);
  });

  it('forces and verifies in a batch', async () => {
    const { campaignId, challengeId } = await campaign();
    const attempts = `/admin/challenges/${challengeId}/attempts`;
    const created = await call('createAttempt', attempts, { externalId: 'ext-ada' });
    const id = created.json.data?.id;
    expect((await call('forceVerify', `${attempts}/${id}/force-verify`)).json).toEqual({
      data: { id, state: 'verified', previousState: 'created' },
    });
    const batch = await call('verifyAndReward', `/admin/campaigns/${campaignId}/verify-and-reward`);
    expect(batch.json).toEqual({ data: { matched: 0, verified: 0, rewarded: 0 } });
    expect((await call('getAttempt', `/admin/challenges/${challengeId + 1000}/attempts/${id}`)).status).toBe(404);
  });

  it('manages tokens', async () => {
    const created = await call('createToken', '/admin/tokens', { name: 'app', role: 'client' });
    const { id, token } = created.json.data ?? {};
    expect((await call('listCampaigns', '/campaigns', undefined, String(token))).status).toBe(200);
    const listed = await call('listTokens', '/admin/tokens');
    expect(listed.text).not.toContain(String(token));
    expect(listed.text).not.toContain('hash');
    const revoked = await call('revokeToken', `/admin/tokens/${id}`);
    expect(revoked.json.data?.revokedAt).toEqual(expect.any(String));
    expect((await call('listCampaigns', '/campaigns', undefined, String(token))).status).toBe(401);
  });

  it('keeps admin routes to admins', async () => {
    for (const route of routes.filter(({ access }) => access === 'admin')) {
      const path = route.path.replaceAll(/\{\w+\}/g, '1');
      for (const token of [tokens.client, tokens.creator]) {
        expect((await api.call(route.method, path, { token })).status, route.id).toBe(403);
      }
      expect((await api.call(route.method, path, { token: null })).status, route.id).toBe(401);
    }
  });

  it.each([
    ['registerCreator', '/social-accounts', { externalId: 'e', platform: 'facebook', handle: 'a' }],
    ['registerCreator', '/social-accounts', { externalId: 'e', platform: 'instagram' }],
    ['registerCreator', '/social-accounts', { externalId: 'e', platform: 'instagram', handle: 'https://x.example/a' }],
    ['registerCreator', '/social-accounts', { externalId: 'e\u0000', platform: 'instagram', handle: 'a' }],
    ['registerCreator', '/social-accounts', { externalId: 'e', platform: 'instagram', handle: 'a', email: 'no' }],
    ['registerCreator', '/social-accounts', { externalId: { $gt: '' }, platform: 'instagram', handle: 'a' }],
    ['createBrand', '/admin/brands', { name: 'A', slug: 'Not A Slug' }],
    ['createBrand', '/admin/brands', { name: 'A', slug: 'a', logoUrl: 'javascript:alert(1)' }],
    [
      'createCampaign',
      '/admin/campaigns',
      { brandId: 1, title: 'T', pointsReward: -1, challenge: { targetUrl: POST_URL } },
    ],
    [
      'createCampaign',
      '/admin/campaigns',
      { brandId: 1, title: 'T', pointsReward: 1.5, challenge: { targetUrl: POST_URL } },
    ],
    ['createCampaign', '/admin/campaigns', { brandId: 1, title: 'T', pointsReward: 1 }],
    [
      'createCampaign',
      '/admin/campaigns',
      { brandId: 1, title: 'T', pointsReward: 1, challenge: { targetUrl: POST_URL, action: 'share' } },
    ],
    [
      'createCampaign',
      '/admin/campaigns',
      { brandId: 1, title: 'T', pointsReward: 1, endsAt: '2026-02-30', challenge: { targetUrl: POST_URL } },
    ],
    ['createAttempt', '/admin/challenges/1/attempts', {}],
    ['createAttempt', '/admin/challenges/1/attempts', { userId: 1, externalId: 'e' }],
    ['createAttempt', '/admin/challenges/0/attempts', { userId: 1 }],
    ['createAttempt', '/admin/challenges/1e3/attempts', { userId: 1 }],
    ['progressAttempt', '/admin/challenges/1/attempts/1', { action: 'force' }],
    ['createToken', '/admin/tokens', { name: 'x', role: 'root' }],
    ['createToken', '/admin/tokens', { name: 'x', role: 'creator' }],
  ])('answers %s %s %j with 400', async (id, path, body) => {
    const { status, json } = await call(id, path, body);
    expect([status, json.error?.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('answers a URL that is no post with 422', async () => {
    const brandId = (await call('listBrands', '/admin/brands')).json.data?.['0']?.id;
    const body = { brandId, title: 'T', pointsReward: 0, challenge: { targetUrl: 'https://example.com/p/1' } };
    const { status, json } = await call('createCampaign', '/admin/campaigns', body);
    expect([status, json.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
  });

  it('is described by the OpenAPI document', () => {
    const document = JSON.stringify(createOpenApiDocument(routes, { version: '0.0.0' }));
    for (const { id } of routes) expect(document).toContain(`"operationId":"${id}"`);
  });
});

/** The refusals that every row of some kind has, and those of the platforms: each code that the document tells of, played. */
import { expect } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import type { ErrorCode } from '../../../core/errors.ts';
import type { FailureShape } from '../../../hosts/platform-simulator/failure-shapes.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { createBrand, createCampaign, createCreator } from '../fixtures.ts';
import { CALLBACK_SECRET } from '../proof-world.ts';
import type { Exchange, Stage } from '../stage.ts';
import type { ParityWorld } from '../world.ts';

/** Beyond the largest body of any row; announced, not sent. */
const TOO_MANY_BYTES = 64 * 1024 * 1024;
const DEFAULT_LIMIT = 64 * 1024;

/** Values for every placeholder; `1` is an id, a handle and a request id. */
function paramsOf(route: Route, value = '1'): Record<string, string> {
  return Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, value]));
}

/** Bodies of the wrong type and size, and paths of the wrong form, on every row that takes them. */
export async function schemas(stage: Stage): Promise<void> {
  for (const route of stage.instance.credence.routes) {
    const as = route.access === 'callback' ? null : 'admin';
    if (route.params !== undefined && route.access !== 'callback') {
      await stage.refuse('INVALID_REQUEST', route.id, { as, params: paramsOf(route, 'x'.repeat(101)) });
    }
    if (route.body === undefined) continue;
    const params = paramsOf(route);
    const raw = 'text';
    const headers = { 'content-type': 'text/plain', 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
    await stage.refuse('UNSUPPORTED_MEDIA_TYPE', route.id, { as, params, raw, headers });
    const large = { as, params, raw: `"${' '.repeat(DEFAULT_LIMIT)}"` } as const;
    const isSmall = (route.maxBodyBytes ?? DEFAULT_LIMIT) <= DEFAULT_LIMIT;
    await stage.refuse('PAYLOAD_TOO_LARGE', route.id, isSmall ? large : { ...large, announced: TOO_MANY_BYTES });
    await stage.refuse(route.invalidCode ?? 'INVALID_REQUEST', route.id, { as, params, ...signed('{"half":') });
  }
  // Longer than a framework may take: only the words differ with who refuses it.
  for (const id of ['showConnectPage', 'submitConnectPage']) {
    const overlong = { as: null, params: { requestId: 'x'.repeat(2_049) } };
    const { status, json } = await stage.send(id, overlong, false);
    expect([status, json.error?.code], id).toEqual([400, 'INVALID_REQUEST']);
  }
  await stage.refuse('NOT_FOUND', 'isHandleRegistered', { params: { handle: '' } });
}

function signed(raw: string): Pick<Exchange, 'raw' | 'headers'> {
  return { raw, headers: { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) } };
}

const OF_POSTS: readonly (readonly [ErrorCode, FailureShape])[] = [
  ['POST_UNAVAILABLE', 'status-reviewing'],
  ['POST_PRIVATE', 'private-post'],
  ['POST_AGE_RESTRICTED', 'age-restricted'],
  ['PLATFORM_UNAVAILABLE', 'unknown-status'],
  ['SCRAPING_RATE_LIMITED', 'rate-limited'],
];
const OF_PROFILES: readonly (readonly [ErrorCode, FailureShape])[] = [
  ['PROFILE_PRIVATE', 'private-account'],
  ['PLATFORM_UNAVAILABLE', 'unknown-status'],
  ['SCRAPING_RATE_LIMITED', 'rate-limited'],
];

/** Of the handle that a web proof shows without its account id. */
const OF_PROVEN_HANDLES: readonly (readonly [ErrorCode, FailureShape])[] = [
  ['PROFILE_NOT_FOUND', 'not-found'],
  ['PROFILE_PRIVATE', 'private'],
  ['PLATFORM_UNAVAILABLE', 'login-wall'],
  ['SCRAPING_RATE_LIMITED', 'rate-limited'],
];

/** What a platform refuses is told in the same words on every row that reads it. */
export async function platformRefusals(stage: Stage, { world, proofs }: ParityWorld): Promise<void> {
  const platform = 'tiktok';
  for (const [code, shape] of OF_POSTS) {
    const { contentId } = world.addPost({ platform, owner: 'northtrail', comments: 2 });
    const url = `https://www.tiktok.com/@northtrail/video/${contentId}`;
    const { challengeId } = await createCampaign(stage, `refused-${shape}`, url);
    const rule = world.failures.add({ platform, contentId, shape, ...patience(shape) });
    for (const id of ['readPostThumbnail', 'readPostStats', 'readPostComments']) {
      await stage.refuse(code, id, { query: { url } });
    }
    await stage.refuse(code, 'refreshComments', { params: { challengeId } });
    const metrics = { params: { challengeId } };
    if (shape === 'rate-limited') await stage.ok(202, 'refreshMetrics', metrics);
    else await stage.refuse(code, 'refreshMetrics', metrics);
    world.failures.remove(rule);
  }
  for (const [code, shape] of OF_PROFILES) {
    const handle = `p.${shape}`.replaceAll('-', '_');
    world.addProfile({ platform, handle });
    const userId = await createCreator(stage, `p-${shape}`, platform, handle);
    const rule = world.failures.add({ platform, handle, shape, ...patience(shape) });
    await stage.refuse(code, 'readProfile', { query: { platform, handle } });
    await stage.refuse(code, 'refreshCreatorProfile', { params: { userId } });
    world.failures.remove(rule);
  }
  for (const [code, shape] of OF_PROVEN_HANDLES) {
    const handle = `w.${shape}`.replaceAll('-', '_');
    const started = await stage.ok(201, 'connectSocialAccount', {
      body: { platform: 'instagram', externalId: `w-${shape}`, inputs: { handle } },
    });
    const { requestId, webProof } = started.data ?? {};
    const presentationJson = await proofs.ownForm(handle, String(webProof?.code));
    const rule = world.failures.add({ platform: 'instagram', handle, shape, ...patience(shape) });
    const call = signed(JSON.stringify({ requestId, presentationJson }));
    await stage.refuse(code, 'webProofCallback', { as: null, ...call });
    world.failures.remove(rule);
  }
  const brandId = await createBrand(stage, 'refused-links');
  for (const shape of ['server-error', 'rate-limited'] as const) {
    const code = shape === 'rate-limited' ? 'SCRAPING_RATE_LIMITED' : 'PLATFORM_UNAVAILABLE';
    const rule = world.failures.add({ platform, endpoint: 'short-link', shape, ...patience(shape) });
    const challenge = { targetUrl: 'https://www.tiktok.com/t/ZTrefused1/' };
    await stage.refuse(code, 'createCampaign', { body: { brandId, title: 'x', pointsReward: 1, challenge } });
    world.failures.remove(rule);
  }
}

/** Scaled down by an instance that does not pace itself. */
function patience(shape: FailureShape): { readonly retryAfterSeconds?: number } {
  return shape === 'rate-limited' ? { retryAfterSeconds: 5 } : {};
}

/** The last webhook of a brand, an ended campaign, and proofs that are none. */
export async function stateRefusals(stage: Stage, { posts, proofs }: ParityWorld): Promise<void> {
  const { brandId, campaignId, challengeId } = await createCampaign(stage, 'refused-state', posts.instagram.url);
  const hook = { params: { brandId }, body: { url: 'https://hooks.example.com/', events: ['reward.issued' as const] } };
  const { webhooks } = stage.instance.credence;
  // At once: a storage joins the writes that come together.
  await Promise.all(Array.from({ length: 99 }, () => webhooks.create({ brandId, ...hook.body })));
  await stage.send('createWebhook', hook, false);
  await stage.refuse('CONFLICT', 'createWebhook', hook);

  // A platform that refused may rest still, so nothing depends on this profile.
  await createCreator(stage, 'refused-late', 'instagram', 'late.nobody');
  const made = await stage.ok(201, 'createAttempt', { params: { challengeId }, body: { externalId: 'refused-late' } });
  await stage.ok(200, 'endCampaign', { params: { id: campaignId } });
  await stage.refuse('CAMPAIGN_INACTIVE', 'progressAttempt', {
    params: { challengeId, attemptId: Number(made.data?.id) },
    body: { action: 'claim_completion' },
  });

  const proof = (await stage.ok(200, 'prove', { body: { url: proofs.url } })).data;
  const broken = { ...proof, data: 'abcd' };
  await stage.refuse('INVALID_PRESENTATION', 'attestQueries', { body: { webProof: broken, queries: ['user.id'] } });
  await stage.refuse('PROOF_GENERATION_FAILED', 'attestQueries', {
    body: { webProof: proof, queries: ['user.nobody'] },
  });
  const started = await stage.ok(201, 'connectSocialAccount', {
    body: { platform: 'instagram', externalId: 'refused-proof', inputs: { handle: 'proven.two' } },
  });
  const callback = { requestId: String(started.data?.requestId), presentationJson: broken };
  await stage.refuse('INVALID_PRESENTATION', 'webProofCallback', { as: null, ...signed(JSON.stringify(callback)) });
}

import { expect } from 'vitest';
import { serviceSignature } from '../../../core/engagement/webhooks/signature.ts';
import { CALLBACK_SECRET } from '../../support/callback-world.ts';
import { REDIRECT_URI } from '../../support/fake-official.ts';
import { createBrand, expectKeys } from '../fixtures.ts';
import type { Stage } from '../stage.ts';

const KEYS =
  'id source platform accountId handle scopes status connectedAt expiresAt refreshExpiresAt subscribedAt lastFailure';

export async function brandConnections(stage: Stage): Promise<void> {
  const brandId = await createBrand(stage, 'connections');
  const other = await createBrand(stage, 'connections-other');
  const params = { brandId };
  const platform = 'tiktok';
  const begin = async (of = brandId) => {
    const body = { platform, redirectUri: REDIRECT_URI };
    return (await stage.ok(200, 'startBrandConnection', { params: { brandId: of }, body })).data;
  };
  const begun = await begin();
  expectKeys(begun, 'authorizationUrl state expiresAt');
  expect(String(begun?.authorizationUrl)).toContain(`state=${begun?.state}`);
  for (const body of [
    {},
    { platform },
    { platform, redirectUri: '' },
    { platform, redirectUri: `${REDIRECT_URI}/` },
    { platform, redirectUri: 'x'.repeat(2_049) },
    { platform: 'unknown', redirectUri: REDIRECT_URI },
    { platform, redirectUri: REDIRECT_URI, scope: 'all' },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'startBrandConnection', { params, body });
  }
  const elsewhere = { platform: 'instagram', redirectUri: REDIRECT_URI };
  await stage.refuse('NOT_SUPPORTED', 'startBrandConnection', { params, body: elsewhere });
  const missing = { params: { brandId: 999_999 }, body: { platform, redirectUri: REDIRECT_URI } };
  await stage.refuse('NOT_FOUND', 'startBrandConnection', missing);

  const code = 'code-parity';
  const state = String(begun?.state);
  for (const body of [{}, { state }, { state: '', code }, { state: 'x', code }, { state, code: 'stranger' }]) {
    await stage.refuse('INVALID_REQUEST', 'completeBrandConnection', { params, body });
  }
  for (const error of ['SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE'] as const) {
    await stage.refuse(error, 'completeBrandConnection', { params, body: { state, code: `error-${error}` } });
  }
  await stage.refuse('INVALID_REQUEST', 'completeBrandConnection', {
    params: { brandId: other },
    body: { state, code },
  });
  const connection = (await stage.ok(201, 'completeBrandConnection', { params, body: { state, code } })).data;
  expectKeys(connection, KEYS);
  expect(connection).toMatchObject({ platform, accountId: 'parity', handle: 'handle-parity', status: 'active' });
  const taken = { params: { brandId: other }, body: { state: (await begin(other))?.state, code } };
  await stage.refuse('CONFLICT', 'completeBrandConnection', taken);
  const doomed = await createBrand(stage, 'connections-doomed');
  const gone = { params: { brandId: doomed }, body: { state: (await begin(doomed))?.state, code } };
  await stage.ok(200, 'deleteBrand', { params: { brandId: doomed } });
  await stage.refuse('NOT_FOUND', 'completeBrandConnection', gone);

  expect((await stage.ok(200, 'listBrandConnections', { params })).data).toEqual([connection]);
  expect((await stage.ok(200, 'listBrandConnections', { params: { brandId: other } })).data).toEqual([]);
  await stage.refuse('NOT_FOUND', 'listBrandConnections', { params: { brandId: 999_999 } });
  const own = { brandId, connectionId: Number(connection?.id) };
  await stage.refuse('NOT_FOUND', 'deleteBrandConnection', { params: { ...own, brandId: other } });
  expect(await stage.ok(200, 'deleteBrandConnection', { params: own })).toEqual({ ok: true });
  await stage.refuse('NOT_FOUND', 'deleteBrandConnection', { params: own });
}

/** What platforms send: their challenge, and pushes that they have signed. */
export async function pushes(stage: Stage): Promise<void> {
  const ask = (verify: string) => ({ as: null, query: { verify, challenge: '42' } });
  expect(await stage.send('answerTiktokChallenge', ask('right'), false)).toMatchObject({ status: 200, text: '42' });
  await stage.refuse('FORBIDDEN', 'answerTiktokChallenge', ask('wrong'));
  await stage.refuse('INVALID_REQUEST', 'answerTiktokChallenge', ask('x'.repeat(501)));
  const raw = JSON.stringify({ object: 'tiktok', entry: [] });
  const headers = { 'x-service-signature': serviceSignature(CALLBACK_SECRET, raw) };
  const taken = await stage.ok(200, 'takeTiktokPush', { as: null, raw, headers });
  expect(taken.data).toEqual({ changes: 1, unreadable: 0 });
  await stage.refuse('UNAUTHORIZED', 'takeTiktokPush', { as: null, raw });
  await stage.refuse('UNAUTHORIZED', 'takeTiktokPush', { as: null, raw: `${raw} `, headers });
}

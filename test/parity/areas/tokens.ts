import { expect } from 'vitest';
import { expectKeys, expectPages } from '../fixtures.ts';
import type { Stage } from '../stage.ts';

const TOKEN_KEYS = 'id name role externalId brandId quota createdAt revokedAt';

export async function tokens(stage: Stage): Promise<void> {
  const made = await stage.ok(201, 'createToken', { body: { name: 'Second admin', role: 'admin' } });
  expectKeys(made.data, `${TOKEN_KEYS} token`);
  const second = { token: String(made.data?.token) };
  const creator = await stage.ok(201, 'createToken', {
    body: { name: 'One creator', role: 'creator', externalId: 't-one' },
  });
  for (const wrong of [
    {},
    { name: 'x', role: 'owner' },
    { name: 'x', role: 'creator' },
    { name: 'x', role: 'client', externalId: 't-one' },
    { name: '', role: 'client' },
    { name: 'x', role: 'brand' },
    { name: 'x', role: 'client', quota: {} },
    { name: 'x', role: 'client', quota: { windowSeconds: 60 } },
    { name: 'x', role: 'client', quota: { requests: 0 } },
    { name: 'x', role: 'admin', brandId: 1 },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'createToken', { body: wrong });
  }
  await stage.refuse('NOT_FOUND', 'createToken', { body: { name: 'x', role: 'brand', brandId: 999_999 } });
  const list = await stage.ok(200, 'listTokens', { as: second });
  expectKeys(list.data?.['0'], TOKEN_KEYS);
  await expectPages(stage, 'listTokens');
  expect(JSON.stringify(list)).not.toContain('crd_');

  const quota = { requests: 2, windowSeconds: 86_400, webProofsPerDay: 1 };
  const limited = await stage.ok(201, 'createToken', { body: { name: 'Limited', role: 'client', quota } });
  expect(limited.data?.quota).toEqual(quota);
  const few = { token: String(limited.data?.token) };
  await stage.ok(200, 'listCampaigns', { as: few });
  await stage.refuse('FORBIDDEN', 'listTokens', { as: few });
  const spent = await stage.refuse('QUOTA_EXCEEDED', 'listCampaigns', { as: few });
  expect(spent.headers.get('ratelimit-policy')).toBe('"token-requests";q=2;w=86400');

  const audit = await stage.ok(200, 'listAuditLog', { query: { operation: 'createToken', limit: 1, cursor: '' } });
  expectKeys(audit.data?.['0'], 'id at actor actorName role operation target outcome error before after requestId');
  expect(audit.data?.['0']).toMatchObject({ outcome: 'succeeded', after: { name: 'Limited', token: '[redacted]' } });
  expect(JSON.stringify(audit)).not.toContain('crd_');
  for (const wrong of ['from=yesterday', 'cursor=x', 'limit=0']) {
    await stage.refuse('INVALID_REQUEST', 'listAuditLog', { query: wrong });
  }

  const tokenId = Number(creator.data?.id);
  const creatorToken = { token: String(creator.data?.token) };
  await stage.ok(200, 'listCampaigns', { as: creatorToken });
  const revoked = await stage.ok(200, 'revokeToken', { params: { tokenId } });
  expectKeys(revoked.data, TOKEN_KEYS);
  expect(await stage.ok(200, 'revokeToken', { params: { tokenId } })).toEqual(revoked);
  await stage.refuse('UNAUTHORIZED', 'listCampaigns', { as: creatorToken });
  await stage.refuse('CONFLICT', 'revokeToken', { as: second, params: { tokenId: Number(made.data?.id) } });
  await stage.refuse('NOT_FOUND', 'revokeToken', { params: { tokenId: 999_999 } });
  await stage.refuse('INVALID_REQUEST', 'revokeToken', { params: { tokenId: 'x' } });
}

const NOT_BEARERS = ['Bearer', 'Bearer unknown-token-of-some-length', 'Basic YTpi', 'bearer  '];

/**
 * Every row of the table, no matter which module declared it: no token, a wrong one, and roles that are not enough. Tokens are read
 * before rows are told apart: each row gets one of the wrong ones.
 */
export async function access(stage: Stage): Promise<void> {
  for (const [row, route] of stage.instance.credence.routes.entries()) {
    if (route.access === 'public' || route.access === 'callback') continue;
    const params = Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, '1']));
    const missing = await stage.refuse('UNAUTHORIZED', route.id, { as: null, params });
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    const authorization = NOT_BEARERS[row % NOT_BEARERS.length] ?? '';
    await stage.refuse('UNAUTHORIZED', route.id, { as: null, params, headers: { authorization } });
    if ((route.dialect ?? 'engagement') !== 'engagement') continue;
    if (route.access === 'admin') await stage.refuse('FORBIDDEN', route.id, { as: 'client', params });
    if (route.access !== 'token') await stage.refuse('FORBIDDEN', route.id, { as: 'creator', params });
  }
}

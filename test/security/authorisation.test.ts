/**
 * Who gets past the door of every row of the route table, on both hosts. Nobody passes without a token or beyond the right
 * of the row; everybody who has it does. New rows are covered as they come.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Access, Dialect, Route } from '../../plugins/http/route.ts';
import { HOST_KINDS } from '../support/hosts.ts';
import { instanceOfBlock } from '../support/instance.ts';
import { everyService, pathOf } from './support.ts';

type CallerKind = 'none' | 'unknown' | 'revoked' | 'malformed' | 'creator' | 'client' | 'admin';
type Expected = 401 | 403 | 'past';

const STRANGERS: readonly CallerKind[] = ['none', 'unknown', 'revoked', 'malformed'];

/** Rows whose handler narrows the right further: they are about one creator's own accounts. */
const OWN_ACCOUNTS = new Set(['connectSocialAccount', 'listSocialAccounts']);

function expected({ id, access, dialect = 'engagement', checkSender }: Route, caller: CallerKind): Expected {
  // No token stands for the signature of the body.
  if (checkSender !== undefined) return 401;
  if (access === 'public' || access === 'callback') return 'past';
  if (STRANGERS.includes(caller)) return 401;
  if (OWN_ACCOUNTS.has(id)) return caller === 'client' ? 403 : 'past';
  return mayPass(access, dialect, caller) ? 'past' : 403;
}

function mayPass(access: Access, dialect: Dialect, caller: CallerKind): boolean {
  if (access === 'token' || dialect !== 'engagement') return true;
  return access === 'client' ? caller !== 'creator' : caller === 'admin';
}

describe.each(HOST_KINDS)('every row, on %s', (host) => {
  const instance = instanceOfBlock({ host, config: everyService() });
  let tokens: Record<CallerKind, string | null>;

  beforeAll(async () => {
    const make = async (body: object) => {
      const { json, text } = await instance.api.call('POST', '/admin/tokens', { body });
      expect(json.data?.token, text).toMatch(/^crd_/);
      return json.data;
    };
    const revoked = await make({ name: 'revoked', role: 'admin' });
    tokens = {
      none: null,
      unknown: `crd_${'A'.repeat(43)}`,
      malformed: `${instance.adminToken} ${instance.adminToken}`,
      revoked: String(revoked?.token),
      creator: String((await make({ name: 'creator', role: 'creator', externalId: 'mine' }))?.token),
      client: String((await make({ name: 'client', role: 'client' }))?.token),
      admin: instance.adminToken,
    };
    expect((await instance.api.call('DELETE', `/admin/tokens/${revoked?.id}`)).status).toBe(200);
  });

  it('answers each caller as its access says', async () => {
    const { routes } = instance.credence;
    expect(routes.length).toBeGreaterThan(50);
    for (const [row, route] of routes.entries()) {
      for (const [index, [caller, token]] of (Object.entries(tokens) as [CallerKind, string | null][]).entries()) {
        // The hosts share what decides: one of them gets every role and half of the strangers of every row, the other a sixth.
        const share = host === 'express' ? 6 : STRANGERS.includes(caller) ? 2 : 1;
        if ((row + index) % share !== 0) continue;
        // Wrong for every row but one, so that a request that gets past changes nothing.
        const wrong = route.id === 'connectSocialAccount' ? { platform: 'instagram' } : [];
        const body = route.body ? { body: wrong } : {};
        const answer = await instance.api.call(route.method, pathOf(route, '999999'), { ...body, token });
        const what = `${route.id} (${route.access}) as ${caller}: ${answer.status} ${answer.text.slice(0, 200)}`;
        const want = expected(route, caller);
        if (want !== 'past') expect(answer.status, what).toBe(want);
        else expect([401, 403, 500], what).not.toContain(answer.status);
        if (answer.status === 401) expect(answer.headers.get('www-authenticate'), what).toBe('Bearer');
        if (answer.status === 403 && route.access !== 'token') expect(answer.json.error?.code, what).toBe('FORBIDDEN');
      }
    }
  });

  it('says nothing to strangers about what exists', async () => {
    for (const path of ['/admin/brands/1/webhooks', '/admin/brands/999/webhooks', '/campaigns/1', '/campaigns/999']) {
      const { status, json } = await instance.api.call('GET', path, { token: null });
      expect([status, json.error?.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  it('takes no token from the query, a cookie or a form', async () => {
    const { adminToken, api } = instance;
    const bearer = `Bearer ${adminToken}`;
    for (const query of [`access_token=${adminToken}`, `token=${adminToken}`, `authorization=${bearer}`]) {
      expect((await api.call('GET', `/admin/brands?${query}`, { token: null })).status).toBe(401);
    }
    const basic = `Basic ${Buffer.from(`:${adminToken}`).toString('base64')}`;
    for (const [name, value] of [
      ['cookie', `token=${adminToken}`],
      ['x-api-key', adminToken],
      ['authorization', adminToken],
      ['authorization', basic],
    ] as const) {
      expect((await api.call('GET', '/admin/brands', { token: null, headers: { [name]: value } })).status).toBe(401);
    }
  });
});

describe('a creator token', () => {
  const instance = instanceOfBlock();
  const tokens: Record<'ann' | 'bob', string> = { ann: '', bob: '' };
  let campaign: string;

  beforeAll(async () => {
    const { api } = instance;
    const ok = async (method: string, path: string, body: unknown) => {
      const answer = await api.call(method, path, { body });
      expect(answer.status, answer.text).toBe(201);
      return answer.json.data;
    };
    for (const externalId of ['ann', 'bob'] as const) {
      await ok('POST', '/social-accounts', { externalId, platform: 'instagram', handle: `${externalId}.handle` });
      const made = await ok('POST', '/admin/tokens', { name: externalId, role: 'creator', externalId });
      tokens[externalId] = String(made?.token);
    }
    const brand = await ok('POST', '/admin/brands', { name: 'B', slug: 'b' });
    const made = await ok('POST', '/admin/campaigns', {
      brandId: brand?.id,
      title: 'C',
      pointsReward: 5,
      challenge: { targetUrl: 'https://www.instagram.com/p/C0ffee/', instructionText: 'x' },
    });
    campaign = `/campaigns/${made?.campaign?.id}`;
    await ok('POST', `/admin/challenges/${made?.challenge?.id}/attempts`, { externalId: 'ann' });
  });

  it("sees its own attempt, never another creator's", async () => {
    const own = await instance.api.call('GET', campaign, { token: tokens.ann });
    expect(own.json.data?.myAttempt).toMatchObject({ state: 'created', retryCount: 0 });
    const other = await instance.api.call('GET', campaign, { token: tokens.bob });
    expect(other.status).toBe(200);
    expect(other.json.data?.myAttempt).toBeNull();
    expect(other.text).not.toContain('ann');
  });

  it('lists and connects its own accounts only', async () => {
    const { api } = instance;
    const own = await api.call('GET', '/social-accounts', { token: tokens.ann });
    expect(own.json.data).toMatchObject([{ platformUsername: 'ann.handle' }]);
    const other = await api.call('GET', '/social-accounts?externalId=ann', { token: tokens.bob });
    expect([other.status, other.text.includes('ann.handle')]).toEqual([403, false]);
    const connect = await api.call('POST', '/social-accounts/connect', {
      token: tokens.bob,
      body: { platform: 'instagram', externalId: 'ann' },
    });
    expect(connect.status).toBe(403);
  });

  it('counts its own usage only', async () => {
    const before = await instance.api.call('GET', '/auth/usage', { token: tokens.bob });
    await instance.api.call('GET', '/v1/profile?platform=instagram&handle=ann.handle');
    const after = await instance.api.call('GET', '/auth/usage', { token: tokens.bob });
    expect(after.json.data).toEqual(before.json.data);
  });
});

/** The audit log over HTTP and in process: what is recorded of which row, and that no secret is. */
import { afterAll, expect, it } from 'vitest';
import type { JsonValue } from '../support/client.ts';
import { startInstance } from '../support/instance.ts';
import { everyService } from './support.ts';

const identify = (native: unknown) => {
  const { headers } = native as { readonly headers?: Readonly<Record<string, string>> };
  if (headers?.['x-user'] === undefined) return undefined;
  return { role: 'admin' as const, tokenId: null, externalId: null, key: `host:${headers['x-user']}` };
};
const instance = await startInstance({ config: everyService(), options: { identify } });
afterAll(() => instance.close());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await instance.api.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}
const log = async (query: string) => (await call('GET', `/admin/audit-log?${query}`)).json as JsonValue;

it('has every change that a row for administrators makes', () => {
  const changing = instance.credence.routes.filter(({ access, method }) => access === 'admin' && method !== 'GET');
  expect(changing.length).toBeGreaterThan(15);
  for (const route of changing) expect(route.audit, route.id).toBeDefined();
});

it('tells who did what, when and with which request, before and after, without secrets', async () => {
  const brand = (await call('POST', '/admin/brands', { name: 'A', slug: 'a' }, { 'x-request-id': 'request-aaaa' }))
    .json;
  const path = `/admin/brands/${brand.data?.id}/webhooks`;
  const url = 'https://hooks.example.com/a?key=hunter2';
  const made = (await call('POST', path, { url, events: ['reward.issued'] })).json.data;
  await call('PATCH', `${path}/${made?.id}`, { active: false }, { 'x-user': 'ada' });
  const rotated = (await call('POST', `${path}/${made?.id}/rotate-secret`)).json.data;
  const token = (await call('POST', '/admin/tokens', { name: 'Ops', role: 'admin' })).json.data;
  await instance.api.call('DELETE', `${path}/${made?.id}`, { token: String(token?.token) });
  const refused = await instance.api.call('POST', '/admin/brands', { body: { name: 'B', slug: 'a' } });
  expect(refused.status).toBe(409);

  const all = await log('limit=100');
  const facts = (all.data as unknown as JsonValue[]).map((one) => [
    one.operation,
    one.actor,
    one.actorName,
    one.outcome,
    one.error,
  ]);
  expect(facts).toEqual([
    ['createBrand', 'token:configured', null, 'refused', 'CONFLICT'],
    ['deleteWebhook', `token:${token?.id}`, 'Ops', 'succeeded', null],
    ['createToken', 'token:configured', null, 'succeeded', null],
    ['rotateWebhookSecret', 'token:configured', null, 'succeeded', null],
    ['updateWebhook', 'host:ada', null, 'succeeded', null],
    ['createWebhook', 'token:configured', null, 'succeeded', null],
    ['createBrand', 'token:configured', null, 'succeeded', null],
  ]);
  for (const secret of ['hunter2', made?.secret, rotated?.secret, token?.token, instance.adminToken])
    expect(JSON.stringify(all)).not.toContain(secret);
  const target = `webhook:${made?.id}`;
  expect(await log(`target=${target}&operation=updateWebhook`)).toMatchObject({
    data: [{ target, before: { active: true }, after: { active: false } }],
    pagination: { total: 1 },
  });
  expect(await log('operation=createToken')).toMatchObject({ data: [{ target: `token:${token?.id}` }] });
  expect(await log(`target=${target}&operation=deleteWebhook`)).toMatchObject({ data: [{ after: null }] });
  expect(await log('operation=createBrand&limit=1&page=2')).toMatchObject({ data: [{ requestId: 'request-aaaa' }] });
});

it('is walked by cursor, and filtered by actor and time', async () => {
  const seen: unknown[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { data, pagination } = await log(`limit=3&cursor=${cursor}`);
    seen.push(...(data as unknown as JsonValue[]).map(({ id }) => id));
    cursor = pagination?.nextCursor;
  }
  expect(seen).toHaveLength(7);
  expect(seen).toEqual(seen.toSorted((a, b) => Number(b) - Number(a)));
  expect((await log('actor=host:ada')).pagination?.total).toBe(1);
  expect((await log(`to=${new Date(Date.now() - 3_600_000).toISOString()}`)).pagination?.total).toBe(0);
  expect((await log(`from=${new Date(Date.now() - 3_600_000).toISOString()}`)).pagination?.total).toBe(7);
});

it('has the actor of calls in process', async () => {
  const { credence } = instance;
  await credence.brands.create({ name: 'C', slug: 'c' });
  const caller = { role: 'admin' as const, tokenId: null, externalId: null, key: 'job:nightly' };
  await credence.brands.create({ name: 'D', slug: 'd' }, { caller });
  const { data } = await credence.audit.list({ operation: 'createBrand', limit: 2 });
  expect(data.map(({ actor }) => actor)).toEqual(['job:nightly', 'in-process']);
});

it('has the whole entry of an attempt that an admin creates and moves, and of an account that an admin connects', async () => {
  const brandId = (await call('POST', '/admin/brands', { name: 'E', slug: 'e' })).json.data?.id;
  const challenge = { targetUrl: 'https://www.instagram.com/p/C0ffee/' };
  const campaign = { brandId, title: 'E', pointsReward: 5, challenge };
  const challengeId = (await call('POST', '/admin/campaigns', campaign)).json.data?.challenge?.id;
  const attempts = `/admin/challenges/${challengeId}/attempts`;
  const asAda = (method: string, path: string, body: unknown) =>
    call(method, path, body, { 'x-user': 'ada', 'x-request-id': 'request-of-ada' });
  await call('POST', '/social-accounts', { externalId: 'eve', platform: 'instagram', handle: 'eve' });
  const attempt = (await asAda('POST', attempts, { externalId: 'eve' })).json.data;
  await asAda('PATCH', `${attempts}/${attempt?.id}`, { action: 'target_opened' });
  await asAda('POST', '/social-accounts/connect', { externalId: 'eve', platform: 'instagram' });

  const target = `attempt:${attempt?.id}`;
  const created = { challengeId, userId: attempt?.userId, state: 'created', retryCount: 0, pointsAwarded: 0 };
  const account = { platform: 'instagram', platformUsername: 'eve', ownershipProven: false, disconnectedAt: null };
  const eve = { externalId: 'eve', displayName: null, accounts: [{ ...account, connectedAt: expect.any(String) }] };
  for (const expected of [
    { operation: 'createAttempt', target, before: null, after: created },
    { operation: 'progressAttempt', target, before: created, after: { ...created, state: 'target_opened' } },
    { operation: 'connectSocialAccount', target: `creator:${attempt?.userId}`, before: eve, after: eve },
  ]) {
    const { data } = await log(`operation=${expected.operation}`);
    expect(data).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(String),
        actor: 'host:ada',
        actorName: null,
        role: 'admin',
        outcome: 'succeeded',
        error: null,
        requestId: 'request-of-ada',
        ...expected,
      },
    ]);
  }
});

it('has the erasure of a creator, without what was erased', async () => {
  const body = { externalId: 'leaving', platform: 'instagram', handle: 'leaving_handle', displayName: 'Leaving Name' };
  const userId = (await call('POST', '/social-accounts', body)).json.data?.user?.id;
  await call('POST', `/admin/creators/${userId}/erase`);
  const entries = await log(`target=creator:${userId}&operation=eraseCreator`);
  expect(entries).toMatchObject({ data: [{ outcome: 'succeeded', before: null, after: { displayName: null } }] });
  expect(JSON.stringify(entries)).not.toMatch(/leaving/i);
});

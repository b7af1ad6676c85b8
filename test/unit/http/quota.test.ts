/** Quotas of tokens, with the dispatcher and a real rate limiter. */
import { expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import type { TokenQuota } from '../../../core/access/token.ts';
import { CLIENT, request, row, testDispatcher } from './requests.ts';

const limiter = createMemoryRateLimiter();
let callers = 0;

/** Sends as a new token with this quota, through two hosts in turn that share the limiter. */
function asToken(quota: TokenQuota) {
  callers += 1;
  const caller = { ...CLIENT, key: `token:${callers}`, quota };
  const hosts = [0, 1].map(() => testDispatcher({ limiter, authenticate: async () => caller }));
  let sent = 0;
  return async (route = row({ method: 'GET', access: 'token' })) => {
    const host = hosts[sent++ % 2] as (typeof hosts)[number];
    const { status, headers, body } = await host.dispatch(route, request());
    return { status, headers, code: JSON.parse(body || '{}').error?.code };
  };
}

it('counts every request of a token, refused ones too, over all hosts that share the limiter', async () => {
  const send = asToken({ requests: 3, windowSeconds: 600 });
  const policy = { 'ratelimit-policy': '"token-requests";q=3;w=600' };
  expect(await send()).toMatchObject({ status: 200, headers: { ...policy, ratelimit: '"token-requests";r=2;t=600' } });
  const forbidden = await send(row({ access: 'admin' }));
  expect(forbidden).toMatchObject({ status: 403, headers: { ...policy, ratelimit: '"token-requests";r=1;t=600' } });
  const failing = row({ access: 'token' }, () => Promise.reject(new Error('no')));
  expect((await send(failing)).status).toBe(500);
  const spent = await send();
  expect([spent.status, spent.code]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(spent.headers).toMatchObject({ ...policy, ratelimit: '"token-requests";r=0;t=600', 'retry-after': '600' });
  expect((await asToken({ requests: 3, windowSeconds: 600 })()).status).toBe(200);
});

it('has a window of a minute by default, and stands beside the limits of a row', async () => {
  const use = { rule: { name: 'own', units: 9, windowSeconds: 5 }, key: 'k', units: 1 };
  const send = asToken({ requests: 7 });
  const { headers } = await send(row({ method: 'GET', access: 'token', limits: () => [use] }));
  expect(headers['ratelimit-policy']).toBe('"token-requests";q=7;w=60, "own";q=9;w=5');
  expect(headers.ratelimit).toBe('"token-requests";r=6;t=60, "own";r=8;t=5');
});

it('counts web proofs by the day, and nothing else against them', async () => {
  const send = asToken({ webProofsPerDay: 1 });
  const proof = row({ method: 'GET', access: 'token', makesWebProof: true, dialect: 'v2' });
  expect(await send()).toMatchObject({
    status: 200,
    headers: expect.not.objectContaining({ ratelimit: expect.anything() }),
  });
  expect((await send(proof)).headers['ratelimit-policy']).toBe('"token-web-proofs";q=1;w=86400');
  const spent = await send(proof);
  expect([spent.status, spent.code]).toEqual([429, 'QUOTA_EXCEEDED']);
  expect(Number(spent.headers['retry-after'])).toBeGreaterThan(86_000);
  expect((await send()).status).toBe(200);
});

it('is not taken from by rows that are unmetered', async () => {
  const send = asToken({ requests: 1 });
  const free = row({ access: 'token', unmetered: true });
  for (let sent = 0; sent < 3; sent += 1) expect((await send(free)).status).toBe(200);
  expect((await send()).headers.ratelimit).toBe('"token-requests";r=0;t=60');
  expect((await send(free)).status).toBe(200);
});

it('is told with a failure, too, as are the limits of the row', async () => {
  const use = { rule: { name: 'own', units: 9, windowSeconds: 5 }, key: 'failing', units: 1 };
  const send = asToken({ requests: 7, webProofsPerDay: 2 });
  const failing = row({ access: 'token', makesWebProof: true, limits: () => [use] }, () =>
    Promise.reject(new Error('no')),
  );
  const { status, headers } = await send(failing);
  expect(status).toBe(500);
  expect(headers.ratelimit).toBe('"token-requests";r=6;t=60, "token-web-proofs";r=1;t=86400, "own";r=8;t=5');
});

it('does not exist for tokens without one', async () => {
  const { headers, status } = await asToken({})();
  expect([status, headers.ratelimit]).toEqual([200, undefined]);
});

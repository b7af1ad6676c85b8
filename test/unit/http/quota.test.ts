/** Quotas of tokens, with the dispatcher and a real rate limiter. */
import { expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import type { TokenQuota } from '../../../core/access/token.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import { createNotaryChoice, createProve } from '../../../core/web-proof/prove.ts';
import type { Route } from '../../../plugins/http/route.ts';
import {
  createNotarySessionRoutes,
  type NotarySessionRouteDeps,
} from '../../../plugins/http/routes/notary-sessions.ts';
import { createWebProverRoutes, type WebProverRouteDeps } from '../../../plugins/http/routes/web-prover.ts';
import { CLIENT, jsonRequest, request, row, testDispatcher } from './requests.ts';

const limiter = createMemoryRateLimiter();
let callers = 0;

/** Sends as a new token with this quota, through two hosts in turn that share the limiter. */
function asToken(quota: TokenQuota) {
  callers += 1;
  const caller = { ...CLIENT, key: `token:${callers}`, quota };
  const hosts = [0, 1].map(() => testDispatcher({ limiter, authenticate: async () => caller }));
  let sent = 0;
  return async (route = row({ method: 'GET', access: 'token' }), fields?: object) => {
    const host = hosts[sent++ % 2] as (typeof hosts)[number];
    const { status, headers, body } = await host.dispatch(route, fields ? jsonRequest(fields) : request());
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

it('does not count proofs that are refused before they are begun', async () => {
  const proof = { data: '00', version: '2.0.0' as const, meta: { notaryUrl: 'https://notary.test' } };
  const notary: Partial<Notary> = { url: 'https://notary.test', notarize: async () => proof };
  const deps = { notaries: [notary as Notary] as const };
  const notaryOf = createNotaryChoice(deps);
  const [prove] = createWebProverRoutes({
    prove: createProve(deps),
    checkNotary: async (notaryUrl) => void notaryOf(notaryUrl),
    usage: { count: async () => undefined } as Partial<WebProverRouteDeps['usage']>,
  } as WebProverRouteDeps);
  const send = asToken({ webProofsPerDay: 1 });
  const url = 'https://example.com/';
  for (const notaryUrl of ['https://evil.test', 'http://127.0.0.1', 'no URL', '']) {
    const refused = await send(prove as Route, { url, notaryUrl });
    expect([refused.status, refused.code, refused.headers.ratelimit]).toEqual([400, 'INVALID_REQUEST', undefined]);
  }
  expect((await send(prove as Route, { url: 'http://example.com/' })).status).toBe(400);
  expect((await send(prove as Route, { url, notaryUrl: 'https://notary.test' })).status).toBe(200);
  expect((await send(prove as Route, { url })).code).toBe('QUOTA_EXCEEDED');
});

it('does not count sessions that no blind notary would open', async () => {
  const opened = { sessionId: 's', maxSentData: 1, maxRecvData: 1, expiresAt: new Date() };
  const check = ({ maxSentData = 0 }) => {
    if (maxSentData > 1) throw new DomainError('INVALID_REQUEST', 'too much');
  };
  const blind = async () =>
    ({ check, open: () => opened }) as Partial<Awaited<ReturnType<NotarySessionRouteDeps['blind']>>>;
  const [openSession] = createNotarySessionRoutes({ blind } as NotarySessionRouteDeps);
  const send = asToken({ webProofsPerDay: 1 });
  expect((await send(openSession as Route, { maxSentData: 2 })).status).toBe(400);
  expect((await send(openSession as Route, { maxSentData: 1 })).status).toBe(201);
  expect((await send(openSession as Route, {})).code).toBe('QUOTA_EXCEEDED');
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

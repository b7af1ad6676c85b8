/** Quotas of tokens, with the dispatcher and a real rate limiter. */
import { expect, it } from 'vitest';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { checkTarget } from '../../../adapters/local-notary/index.ts';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import type { TokenQuota } from '../../../core/access/token.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import { createNotaryChoice, createProve } from '../../../core/web-proof/prove.ts';
import {
  createNotarySessionRoutes,
  type NotarySessionRouteDeps,
} from '../../../plugins/blind-notary/routes/notary-sessions.ts';
import type { Route } from '../../../plugins/http/route.ts';
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
    return { status, headers, code: JSON.parse(String(body) || '{}').error?.code };
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
  const headers = expect.not.objectContaining({ ratelimit: expect.anything() });
  expect(await send()).toMatchObject({ status: 200, headers });
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
  const [prove] = createWebProverRoutes({
    useCases: async () => ({ prove: createProve(deps), notaryOf: createNotaryChoice(deps) }),
    usage: { count: async () => undefined },
  } as object as WebProverRouteDeps);
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

it('gives back a session that no place was free for', async () => {
  const open = () => {
    throw new DomainError('SERVICE_UNAVAILABLE', 'All sessions are taken.', { retryAfterSeconds: 5 });
  };
  const blind: NotarySessionRouteDeps['blind'] = async () => ({ check: () => {}, open }) as never;
  const [openSession] = createNotarySessionRoutes({ blind } as NotarySessionRouteDeps);
  const send = asToken({ webProofsPerDay: 2 });
  for (let sent = 0; sent < 5; sent += 1) {
    const { status, headers } = await send(openSession as Route, {});
    expect([status, headers.ratelimit]).toEqual([503, '"token-web-proofs";r=2;t=86400']);
  }
});

/** A row that makes web proofs, and fails as a notary does. */
const failing = (error: unknown) =>
  row({ method: 'GET', access: 'token', makesWebProof: true, dialect: 'v2' }, () => Promise.reject(error));

const lookup = async (name: string) => {
  if (name === 'private.example') return [{ address: '10.0.0.1' }];
  throw Object.assign(new Error('no answer'), { code: name === 'slow.example' ? 'ETIMEOUT' : 'ENOTFOUND' });
};
const guard = createEgressGuard({ lookup });
const target = (serverName: string) => () => checkTarget(guard, { serverName, port: 443 }, AbortSignal.timeout(60_000));
const refusedByRemote = async () => Promise.reject(new DomainError('INVALID_REQUEST', 'The host is not public.'));

it.each([
  ['an address that is not allowed', target('private.example')],
  ['a name that does not exist', target('nowhere.example')],
  ['name servers that do not answer', target('slow.example')],
  ['a target that a remote notary refuses', refusedByRemote],
])('gives back a proof that was refused for %s, as often as it has proofs', async (_title, refuse) => {
  const send = asToken({ webProofsPerDay: 3 });
  const refused = failing(await refuse().catch((error: unknown) => error));
  const left: unknown[] = [];
  for (let sent = 0; sent < 6; sent += 1) left.push((await send(refused)).headers.ratelimit);
  expect(left).toEqual([3, 3, 3, 2, 1, 0].map((remaining) => `"token-web-proofs";r=${remaining};t=86400`));
  // No refusal is free any more: names cannot be probed without end.
  expect((await send(refused)).code).toBe('QUOTA_EXCEEDED');
});

it('counts a proof that fails after its server was asked', async () => {
  const send = asToken({ webProofsPerDay: 1 });
  const cause = new Error('ECONNRESET');
  const broken = new DomainError('INTERNAL_SERVER_ERROR', 'the connection broke off', { cause });
  expect((await send(failing(broken))).headers.ratelimit).toBe('"token-web-proofs";r=0;t=86400');
  expect((await send(failing(broken))).code).toBe('QUOTA_EXCEEDED');
});

it('never gives more proofs than the quota when refusals and proofs come at once', async () => {
  const send = asToken({ webProofsPerDay: 4 });
  const done = row({ method: 'GET', access: 'token', makesWebProof: true, dialect: 'v2' });
  const busy = failing(new DomainError('SERVICE_UNAVAILABLE', 'busy', { retryAfterSeconds: 1 }));
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? busy : done)));
  const later = await Promise.all(Array.from({ length: 8 }, () => send(done)));
  expect([...answers, ...later].filter(({ status }) => status === 200)).toHaveLength(4);
});

it('is not taken from by rows that are unmetered', async () => {
  const send = asToken({ requests: 1 });
  const free = row({ access: 'token', unmetered: true });
  for (let sent = 0; sent < 3; sent += 1) expect((await send(free)).status).toBe(200);
  expect((await send()).headers.ratelimit).toBe('"token-requests";r=0;t=60');
  expect((await send(free)).status).toBe(200);
});

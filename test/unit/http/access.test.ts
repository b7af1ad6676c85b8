import { describe, expect, it } from 'vitest';
import { callerKey, callerOf, checkRole, type Identify } from '../../../plugins/http/access.ts';
import type { HttpRequest } from '../../../plugins/http/message.ts';
import type { Access, Dialect } from '../../../plugins/http/route.ts';
import { ADMIN, authenticate, CLIENT, CREATOR, request } from './requests.ts';

async function authorize(given: HttpRequest, access: Access, dialect: Dialect, identify?: Identify) {
  const caller = await callerOf(given, { access }, authenticate, identify);
  checkRole(caller, access, dialect);
  return caller;
}

async function outcome(token: string | undefined, access: Access, dialect: Dialect = 'engagement'): Promise<string> {
  const headers = token === undefined ? {} : { authorization: token };
  return authorize(request({ headers }), access, dialect).then(
    (caller) => caller?.role ?? 'nobody',
    (error: { code: string }) => error.code,
  );
}

describe('bearer tokens', () => {
  it.each([
    ['bearer   admin', 'admin', 'admin'],
    ['Bearer admin extra', 'token', 'UNAUTHORIZED'],
    [`Bearer ${'x'.repeat(513)}`, 'token', 'UNAUTHORIZED'],
    [undefined, 'anyone', 'nobody'],
    ['Bearer creator', 'anyone', 'creator'],
    ['Bearer nobody', 'anyone', 'UNAUTHORIZED'],
    ['Basic admin', 'anyone', 'UNAUTHORIZED'],
  ] as const)('%s on a route for %s: %s', async (token, access, expected) => {
    expect(await outcome(token, access)).toBe(expected);
  });

  it('are looked up only if they are well-formed, in one header', async () => {
    const lookedUp: string[] = [];
    const lookUp = async (token: string) => {
      lookedUp.push(token);
      return ADMIN;
    };
    for (const authorization of [undefined, 'Bearer', 'Basic admin', ['Bearer admin'], ['Bearer admin', 'Bearer x']]) {
      const asked = callerOf(request({ headers: { authorization } }), { access: 'token' }, lookUp, undefined);
      await expect(asked).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
    expect(lookedUp).toEqual([]);
  });

  it('are taken from X-API-Key where a row says so', async () => {
    const ask = (headers: HttpRequest['headers'], apiKey?: boolean) =>
      callerOf(request({ headers }), { access: 'token', apiKey }, authenticate, undefined);
    const both = { 'x-api-key': 'client', authorization: 'Bearer nobody' };
    expect(await ask(both, true)).toMatchObject({ role: 'client' });
    expect(await ask({ authorization: 'Bearer client' }, true)).toMatchObject({ role: 'client' });
    await expect(ask({ 'x-api-key': 'client' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(ask({ 'x-api-key': 'nobody' }, true)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  it('that are not enough are told which role is', () => {
    expect(() => checkRole(CLIENT, 'admin', 'engagement')).toThrow('needs an admin token');
    expect(() => checkRole(CREATOR, 'client', 'engagement')).toThrow('needs a client or an admin token');
  });

  it('are all good on web-proof routes, whatever their role', async () => {
    expect(await outcome('Bearer creator', 'admin', 'v2')).toBe('creator');
    expect(await outcome(undefined, 'token', 'v2')).toBe('UNAUTHORIZED');
  });
});

describe("a host's own authentication", () => {
  const native = { user: 'ada' };
  const ask = (identify: Identify) => authorize(request({ native }), 'admin', 'engagement', identify);

  // `return user && { … }` gives some of these for a user who is not signed in.
  it.each([
    false,
    true,
    'ada',
    {},
    { role: 'admin' },
    { ...ADMIN, key: '' },
    { ...ADMIN, role: 'root' },
    { ...CREATOR, externalId: null },
  ])('lets nobody in by %j, and says what is wrong', async (answer) => {
    await expect(ask(() => answer as never)).rejects.toThrow('identify answered something that is no caller');
  });

  // A form of another site, and of a subdomain, has the cookie of a user who is signed in.
  it.each([
    ['POST', 'cross-site', { cookie: 'a=b' }, 'FORBIDDEN'],
    ['DELETE', 'same-site', { cookie: 'a=b' }, 'FORBIDDEN'],
    ['POST', 'same-origin', { cookie: 'a=b' }, 'admin'],
    ['POST', undefined, { cookie: 'a=b' }, 'admin'],
    ['GET', 'cross-site', { cookie: 'a=b' }, 'admin'],
    ['HEAD', 'cross-site', { cookie: 'a=b' }, 'admin'],
    ['POST', 'cross-site', {}, 'admin'],
    ['POST', 'cross-site', { cookie: 'a=b', authorization: 'Bearer of-host' }, 'admin'],
  ])('answers a %s that is %s with %j: %s', async (method, site, sent, expected) => {
    const given = request({ method, headers: { ...sent, 'sec-fetch-site': site } });
    const answer = authorize(given, 'admin', 'engagement', () => ADMIN);
    expect(await answer.then((caller) => caller?.role).catch(({ code }) => code)).toBe(expected);
  });

  it('leaves bearer tokens from pages of other origins to the token', async () => {
    const headers = { cookie: 'a=b', authorization: 'Bearer admin', 'sec-fetch-site': 'cross-site' };
    expect(await authorize(request({ headers }), 'admin', 'engagement', () => undefined)).toEqual(ADMIN);
  });
});

it('counts requests without a caller under one key', () => {
  expect([callerKey(null), callerKey(CLIENT)]).toEqual(['anonymous', 'token:2']);
});

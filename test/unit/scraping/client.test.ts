import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  BodyEncodingError,
  type ScrapingCall,
  type ScrapingClientOptions,
  type ScrapingResponse,
  type SendRequest,
  UnknownEncodingError,
  type Verdict,
} from '../../../adapters/scraping/index.ts';
import { drifted, ok, scriptedClient, sessions } from './scripted-client.ts';
import { bytes, type Script } from './scripted-transport.ts';

const UNHURRIED = { page: { burst: 200, refillEveryMs: 60_000, spacingMs: 0, concurrency: 10 } };
const RATES = { page: { burst: 3, refillEveryMs: 60_000, spacingMs: 0, concurrency: 1 } };

/** Answers when it is told to stop. */
const silent: Script = ({ signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('retrying', () => {
  it('stops after four throttled answers', async () => {
    const { ask, transport } = scriptedClient();
    const throttled = await ask({ kind: 'throttled', retryAfterSeconds: 7 });
    expect(throttled).toMatchObject({ code: 'SCRAPING_RATE_LIMITED', retryAfter: 7 });
    expect(transport.requests).toHaveLength(4);
  });

  it('does not wait for longer than it has', async () => {
    const { ask, transport } = scriptedClient({ pacing: 'safe' });
    const error = await ask({ kind: 'throttled', retryAfterSeconds: 3600 });
    expect(error).toMatchObject({ code: 'SCRAPING_RATE_LIMITED', retryAfter: 3600 });
    // And others do not ask meanwhile.
    expect(await ask(ok)).toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    [503, '3600', { code: 'PLATFORM_UNAVAILABLE', retryAfter: 3600 }, 1],
    [503, '', { code: 'PLATFORM_UNAVAILABLE', retryAfter: undefined }, 3],
    [404, '3600', { code: 'PLATFORM_UNAVAILABLE', retryAfter: undefined }, 3],
  ])('heeds what a server in trouble asks for: %i, Retry-After: %j', async (status, header, failure, requests) => {
    const answer = { status, headers: header === '' ? {} : { 'retry-after': header } };
    const { ask, transport } = scriptedClient({}, () => answer);
    const options = { deadline: new Date(Date.now() + 2_000) };
    expect(await ask({ kind: 'unreadable', reason: `http-${status}`, retries: 2 }, { options })).toMatchObject(failure);
    expect(transport.requests).toHaveLength(requests);
  });

  it.each<[string, Error, number]>([
    ['network', new Error('ECONNRESET to 10.0.0.1'), 3],
    ['broken-body', new BodyEncodingError('x'), 2],
    ['unknown-encoding: lzma??', new UnknownEncodingError('lzma\n"'), 2],
  ])('tries an answer that is cut short by %s again', async (reason, cause, requests) => {
    const { ask, transport } = scriptedClient({}, () => Promise.reject(cause));
    const error = await ask(ok);
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', reason });
    expect(JSON.stringify(error)).not.toContain('10.0.0.1');
    expect(transport.requests).toHaveLength(requests);
  });

  it('ends a silent attempt and says PLATFORM_TIMEOUT after the second', async () => {
    const { ask, transport } = scriptedClient({ attemptTimeoutMs: 20 }, silent);
    expect(await ask(ok)).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    expect(transport.requests).toHaveLength(2);
  });

  it('gives each request its time, whatever was waited for before it', async () => {
    const { ask, transport } = scriptedClient({ attemptTimeoutMs: 20 }, ({ signal }) =>
      signal.aborted ? Promise.reject(signal.reason) : Promise.resolve({}),
    );
    const request = async (): Promise<{ url: string }> => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { url: '/x' };
    };
    expect(await ask(ok, { request })).toBe('fine');
    expect(transport.requests).toHaveLength(1);
  });

  it('passes on what a reader throws: that is a defect', async () => {
    const read = () => {
      throw new TypeError('defect');
    };
    await expect(scriptedClient().ask(read)).rejects.toThrow('defect');
  });
});

describe('the circuit', () => {
  it.each([
    ['drifted', 25],
    ['timeout', 9],
    ['network', 9],
    ['http-503', 9],
  ] as const)('stays closed while no more different posts fail with %s than %i', async (reason, most) => {
    const { ask } = scriptedClient({ pacing: 'safe', rates: UNHURRIED });
    const fail = (post: number) => ask({ kind: 'unreadable', reason }, { about: `post-${post}` });
    // However often each of them is asked for.
    for (let index = 0; index < 2 * most; index += 1) await fail(index % most);
    expect(await ask(ok, { about: 'readable' })).toBe('fine');
    for (let index = 0; index <= most; index += 1) await fail(index);
    expect(await ask(ok, { about: 'another' })).toMatchObject({ reason: 'circuit-open' });
  });

  it('closes again by itself', async () => {
    const { ask } = scriptedClient();
    for (let index = 0; index < 6; index += 1) await ask(drifted);
    expect(await ask(ok)).toBe('fine');
  });
});

describe('identities', () => {
  it('keep their cookies to themselves', async () => {
    const { ask, transport } = scriptedClient({ sessions: [{ sessionid: 'one' }] }, () => ({
      headers: { 'set-cookie': ['mid=anon; Path=/', 'evil=1; Domain=.example.com'] },
    }));
    await ask(ok);
    await ask(ok);
    await ask(ok, { as: 'session' });
    expect(transport.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'mid=anon', 'sessionid=one']);
    expect(transport.requests[2]?.connectionKey).not.toBe(transport.requests[0]?.connectionKey);
  });

  it('are replaced when refused logged out: no cookies, fresh connection', async () => {
    const { ask, transport } = scriptedClient({}, () => ({ headers: { 'set-cookie': 'mid=anon; Path=/' } }));
    const seen: string[] = [];
    const value = await ask((_response, identity) => {
      seen.push(identity.label);
      return seen.length < 2 ? { kind: 'blocked', reason: 'login-wall' } : ok;
    });
    expect(value).toBe('fine');
    expect(new Set(seen).size).toBe(2);
    expect(transport.requests[1]?.headers.cookie).toBeUndefined();
    expect(transport.forgotten).toEqual([transport.requests[0]?.connectionKey]);
  });

  it('are given up after one replacement: without a proxy the address is the same', async () => {
    const { ask, transport } = scriptedClient();
    const refused = await ask({ kind: 'blocked', reason: 'login-wall' });
    expect(refused).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', reason: 'login-wall' });
    expect(transport.requests).toHaveLength(2);
  });

  it('rest when throttled while another continues', async () => {
    const { ask, states, transport } = scriptedClient({ sessions: sessions(2), pacing: 'safe' });
    const read: ScrapingCall<unknown>['read'] = (_response, { label }) =>
      label === 'session-1' ? { kind: 'throttled', retryAfterSeconds: 600 } : ok;
    expect(await ask(read, { as: 'session' })).toBe('fine');
    expect(states()).toEqual(['resting', 'active']);
    expect(transport.requests).toHaveLength(2);
  });
});

describe('requests', () => {
  it('have the shared headers and their own, or their own alone if they bring a user agent', async () => {
    const shared = { 'user-agent': 'browser', accept: 'text/html' };
    const { ask, transport } = scriptedClient({ headers: shared });
    const own = { 'user-agent': 'preview' };
    for (const headers of [undefined, { accept: '*/*', 'x-a': '1' }, own]) {
      await ask(ok, { request: { url: '/x', headers } });
    }
    const other = { ...shared, accept: '*/*', 'x-a': '1' };
    expect(transport.requests.map(({ headers }) => headers)).toEqual([shared, other, own]);
  });

  it('are answered with headers in any case, the first of several, and null for none', async () => {
    const headers = { location: '/login', 'set-cookie': ['a=1', 'b=2'], empty: [] };
    const { ask } = scriptedClient({}, () => ({ status: 302, headers, body: bytes('ż') }));
    const names = ['location', 'Location', 'Set-Cookie', 'empty', 'other'];
    const read = ({ status, text, header }: ScrapingResponse): Verdict<unknown> => ({
      kind: 'ok',
      value: [status, text, ...names.map((name) => header(name))],
    });
    expect(await ask(read)).toEqual([302, 'ż', '/login', '/login', 'a=1', null, null]);
  });

  it('go to the platform’s own hosts only', async () => {
    const { ask, transport } = scriptedClient({ hosts: ['vm.tiktok.com'] });
    await ask(ok, { request: { url: 'https://vm.tiktok.com/x' } });
    for (const url of ['https://vm.tiktok.com.evil.com/x', 'http://169.254.169.254/', 'https://vm.tiktok.com:8443/']) {
      await expect(ask(ok, { request: { url } })).rejects.toThrow(TypeError);
    }
    await ask(ok, { request: { url: '//evil.com/x' } });
    const urls = transport.requests.map(({ url }) => url);
    expect(urls).toEqual(['https://vm.tiktok.com/x', 'https://www.instagram.com//evil.com/x']);
  });

  it('keep a path prefix of the base URL', async () => {
    const { ask, transport } = scriptedClient({ baseUrl: 'http://127.0.0.1:1/ig/' });
    await ask(ok);
    expect(transport.requests[0]?.url).toBe('http://127.0.0.1:1/ig/x');
  });

  it('can be preceded by another one as the same identity', async () => {
    const { ask, transport } = scriptedClient({}, ({ url }) => ({
      body: bytes(url.endsWith('/page') ? 'token' : 'data'),
    }));
    const value = await ask(({ text }) => ({ kind: 'ok', value: text }), {
      request: async (_identity, send) => ({ url: `/api?t=${(await send({ url: '/page' })).text}` }),
    });
    expect(value).toBe('data');
    const places = transport.requests.map(({ url }) => url.replace('https://www.instagram.com', ''));
    expect(places).toEqual(['/page', '/api?t=token']);
  });
});

describe('a transport of the operator’s own', () => {
  const sending = (transport: SendRequest, options: Partial<ScrapingClientOptions> = {}) =>
    scriptedClient({ transport, ...options });
  const never = () => new Promise<never>(() => undefined);

  it('is left at the deadline, whether it stops or not', async () => {
    const late = { code: 'PLATFORM_TIMEOUT' };
    expect(await sending(never, { attemptTimeoutMs: 20 }).ask(ok)).toMatchObject(late);
    expect(await sending(never).ask(ok, { options: { signal: AbortSignal.timeout(20) } })).toMatchObject(late);
  });

  it('cannot hand on a body that is too large', async () => {
    const large = async () => ({ status: 200, headers: {}, body: new Uint8Array(2_000) });
    expect(await sending(large, { maxBodyBytes: 1_024 }).ask(ok)).toMatchObject({ reason: 'body-too-large' });
  });

  it.each([
    { status: '200', headers: {}, body: bytes('') },
    { status: 200, headers: null, body: bytes('') },
    { status: 200, headers: {}, body: 'text' },
    null,
  ])('that resolves to %j is told from a platform that cannot be read', async (answer) => {
    expect(await sending(async () => answer as never).ask(ok)).toMatchObject({ reason: 'transport-answer' });
  });

  it('is told the proxy, with the key of the identity in it', async () => {
    const proxyUrl = 'http://user-{session}:pw@proxy.example:8080';
    const { ask, transport } = scriptedClient({ proxyUrl, sessions: sessions(1) });
    await ask(ok);
    await ask(ok, { as: 'session' });
    expect(transport.requests.map((request) => request.proxyUrl)).toEqual(
      transport.requests.map(({ connectionKey }) => `http://user-${connectionKey}:pw@proxy.example:8080`),
    );
  });
});

describe('a session cookie that the platform takes away', () => {
  const taken = (isTaken: (cookie: string | undefined) => boolean = () => true) =>
    scriptedClient({ sessions: sessions(2), sessionCookie: 'sessionid' }, ({ headers }) =>
      isTaken(headers.cookie) ? { headers: { 'set-cookie': 'sessionid=""; Path=/; Max-Age=0' } } : {},
    );

  it('ends the session, and nothing of the answer is used', async () => {
    const { ask, states } = taken((cookie) => cookie === 'sessionid=s1');
    const seen: string[] = [];
    const read: ScrapingCall<unknown>['read'] = (_response, { label }) => {
      seen.push(label);
      return { kind: 'ok', value: label };
    };
    expect(await ask(read, { as: 'session' })).toBe('session-2');
    expect(seen).toEqual(['session-1', 'session-2']);
    expect(states()).toEqual(['dead', 'active']);
  });

  it('ends the session at once, also beside a place that it is sent away to', async () => {
    const { ask, client } = taken();
    await ask({ kind: 'blocked', reason: 'front-page', session: 'sent-away' }, { as: 'session' });
    expect(client.sessionStates()).toEqual(['session-1', 'session-2'].map((label) => ({ label, state: 'dead' })));
  });

  it('does not hide a checkpoint', async () => {
    const { ask, states } = taken();
    await ask({ kind: 'blocked', reason: 'checkpoint-required', session: 'quarantined' }, { as: 'session' });
    expect(states()).toEqual(['quarantined', 'quarantined']);
  });
});

it('closing ends the calls under way, and those that come later', async () => {
  const { client, ask, transport } = scriptedClient({ pacing: 'safe' }, silent);
  const pending = ask(ok);
  while (transport.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await client.close();
  expect(await pending).toMatchObject({ code: 'PLATFORM_TIMEOUT', reason: 'closed' });
  expect(await ask(ok)).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  expect(transport.requests).toHaveLength(1);
});

describe('pacing', () => {
  afterEach(() => void vi.useRealTimers());
  const ownLimit = { code: 'SCRAPING_RATE_LIMITED', reason: 'own-rate-limit' };

  it('refuses at once also those who ask at the same moment', async () => {
    const { ask, transport } = scriptedClient({ pacing: 'safe' });
    const refused = { ...ownLimit, retryAfter: 60 };
    const asked = await Promise.all([1, 2, 3, 4, 5].map(() => ask(ok)));
    expect(asked).toMatchObject(['fine', 'fine', 'fine', refused, refused]);
    expect(transport.requests).toHaveLength(3);
  });

  it('is waited for as long as the caller has time, and no longer than the call is worth', async () => {
    // The pace goes by this clock, which stands still.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const refillEveryMs = 600_000;
    const rates = { page: { burst: 1, refillEveryMs, spacingMs: 0, concurrency: 1 } };
    const { ask, transport } = scriptedClient({ pacing: 'safe', rates });
    const first = ask(ok);
    await vi.advanceTimersByTimeAsync(1);
    await first;
    expect(await ask(ok)).toMatchObject(ownLimit);
    const options = { deadline: new Date(Date.now() + 2 * refillEveryMs) };
    expect(await ask(ok, { pacePatienceMs: refillEveryMs / 2, options })).toMatchObject(ownLimit);
    const patient = ask(ok, { options });
    await vi.advanceTimersByTimeAsync(refillEveryMs - 1_000);
    expect(transport.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await patient).toBe('fine');
  });

  it('counts each identity and each class of endpoints apart', async () => {
    const rates = { page: { ...RATES.page, burst: 1 }, api: { ...RATES.page, burst: 1 } };
    const { ask, transport } = scriptedClient({ pacing: 'safe', rates, sessions: sessions(1) });
    await ask(ok);
    await ask(ok, { endpoint: 'api' });
    await ask(ok, { as: 'session' });
    expect(transport.requests).toHaveLength(3);
    expect(await ask(ok)).toMatchObject(ownLimit);
  });

  it('counts each account that is read apart, and all of them together', async () => {
    const rates = { page: { ...RATES.page, burst: 2 }, all: { ...RATES.page, burst: 3 } };
    const { ask, transport } = scriptedClient({ pacing: 'safe', rates });
    for (const account of ['one', 'one', 'two']) await ask(ok, { account });
    expect(transport.requests).toHaveLength(3);
    for (const account of ['one', 'two']) expect(await ask(ok, { account })).toMatchObject(ownLimit);
  });

  it('rests an account whose answer says that little is left, and no other', async () => {
    // Without pacing, a millisecond counts as a second.
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { ask, transport } = scriptedClient();
    const options = { deadline: new Date(Date.now() + 300) };
    expect(await ask({ kind: 'ok', value: 'fine', restSeconds: 900 }, { account: 'one', options })).toBe('fine');
    const rested = { code: 'SCRAPING_RATE_LIMITED', retryAfter: 900 };
    expect(await ask(ok, { account: 'one', options })).toMatchObject(rested);
    expect(await ask(ok, { account: 'two' })).toBe('fine');
    expect(transport.requests).toHaveLength(2);
  });

  it('refuses to make a request for which no rate is set', async () => {
    await expect(scriptedClient({ pacing: 'safe' }).ask(ok, { endpoint: 'other' })).rejects.toThrow(TypeError);
  });
});

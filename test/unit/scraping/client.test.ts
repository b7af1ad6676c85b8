import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  BodyEncodingError,
  type ScrapingCall,
  type ScrapingClient,
  type ScrapingClientOptions,
  type ScrapingResponse,
  type SendRequest,
  UnknownEncodingError,
  type Verdict,
} from '../../../adapters/scraping/index.ts';
import type { PlatformCallOptions } from '../../../core/ports/platform.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { scriptedClient } from './scripted-client.ts';
import { bytes } from './scripted-transport.ts';

const UNHURRIED = { page: { burst: 200, refillEveryMs: 60_000, spacingMs: 0, concurrency: 10 } };
const RATES = { page: { burst: 3, refillEveryMs: 60_000, spacingMs: 0, concurrency: 1 } };
function ask<T>(
  subject: ScrapingClient,
  read: ScrapingCall<T>['read'],
  more: Partial<ScrapingCall<T>> = {},
  options?: PlatformCallOptions,
  resource?: string,
): Promise<T> {
  return subject.within(options, resource, (time) =>
    subject.call(time, { endpoint: 'page', as: 'anonymous', request: { url: '/x' }, read, ...more }),
  );
}

const ok: Verdict<string> = { kind: 'ok', value: 'fine' };
const drifted: Verdict<string> = { kind: 'unreadable', reason: 'drifted' };

/** A call about one post. */
function askFor(subject: ScrapingClient, post: string, answer: Verdict<string>): Promise<string> {
  return ask(subject, () => answer, {}, undefined, post);
}

describe('retrying', () => {
  it('stops after four throttled answers', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}));
    const error = await refusal(ask(subject, () => ({ kind: 'throttled', retryAfterSeconds: 7 })));
    expect(error).toMatchObject({ code: 'SCRAPING_RATE_LIMITED', retryAfterSeconds: 7 });
    expect(transport.requests).toHaveLength(4);
  });

  it('does not wait for longer than it has', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), { pacing: 'safe' });
    const error = await refusal(ask(subject, () => ({ kind: 'throttled', retryAfterSeconds: 3600 })));
    expect(error.code).toBe('SCRAPING_RATE_LIMITED');
    expect(error.retryAfterSeconds).toBeGreaterThan(3590);
    expect(transport.requests).toHaveLength(1);
    // And others do not ask meanwhile.
    expect((await refusal(ask(subject, () => ok))).code).toBe('SCRAPING_RATE_LIMITED');
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    [503, '3600', { code: 'PLATFORM_UNAVAILABLE', retryAfterSeconds: 3600 }, 1],
    [503, '', { code: 'PLATFORM_UNAVAILABLE', retryAfterSeconds: undefined }, 3],
    [404, '3600', { code: 'PLATFORM_UNAVAILABLE', retryAfterSeconds: undefined }, 3],
  ])('heeds what a server in trouble asks for: %i, Retry-After: %j', async (status, header, failure, requests) => {
    const answer = { status, headers: header === '' ? {} : { 'retry-after': header } };
    const { client: subject, transport } = scriptedClient(() => answer);
    const options = { deadline: new Date(Date.now() + 2_000) };
    const down: Verdict<string> = { kind: 'unreadable', reason: `http-${status}`, retries: 2 };
    expect(await refusal(ask(subject, () => down, {}, options))).toMatchObject(failure);
    expect(transport.requests).toHaveLength(requests);
  });

  it('tries a broken connection three times', async () => {
    const { client: subject, transport } = scriptedClient(() => Promise.reject(new Error('ECONNRESET to 10.0.0.1')));
    const error = await refusal(ask(subject, () => ok));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'network' } });
    expect(error.message).not.toContain('10.0.0.1');
    expect(transport.requests).toHaveLength(3);
  });

  it.each<[string, Error]>([
    ['broken-body', new BodyEncodingError('x')],
    ['unknown-encoding: lzma??', new UnknownEncodingError('lzma\n"')],
  ])('tries an answer that is cut short by %s twice', async (reason, error) => {
    const { client: subject, transport } = scriptedClient(() => Promise.reject(error));
    expect((await refusal(ask(subject, () => ok))).details?.reason).toBe(reason);
    expect(transport.requests).toHaveLength(2);
  });

  it('ends a silent attempt and says PLATFORM_TIMEOUT after the second', async () => {
    const { client: subject, transport } = scriptedClient(
      ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { attemptTimeoutMs: 20 },
    );
    expect((await refusal(ask(subject, () => ok))).code).toBe('PLATFORM_TIMEOUT');
    expect(transport.requests).toHaveLength(2);
  });

  it('gives each request its time, whatever was waited for before it', async () => {
    const { client: subject, transport } = scriptedClient(
      ({ signal }) => (signal.aborted ? Promise.reject(signal.reason) : Promise.resolve({})),
      { attemptTimeoutMs: 20 },
    );
    const request = async (): Promise<{ url: string }> => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { url: '/x' };
    };
    expect(await ask(subject, () => ok, { request })).toBe('fine');
    expect(transport.requests).toHaveLength(1);
  });

  it('passes on what a reader throws: that is a defect', async () => {
    const { client: subject } = scriptedClient(() => ({}));
    await expect(
      ask(subject, () => {
        throw new TypeError('defect');
      }),
    ).rejects.toThrow('defect');
  });
});

describe('the circuit', () => {
  const unhurried = () => scriptedClient(() => ({}), { pacing: 'safe', rates: UNHURRIED }).client;
  const failures = [
    ['drifted', 25],
    ['timeout', 9],
    ['network', 9],
    ['http-503', 9],
  ] as const;

  it.each(failures)('stays closed while no more different posts fail with %s than %i', async (reason, most) => {
    const subject = unhurried();
    const fail = (post: number) => refusal(askFor(subject, `post-${post}`, { kind: 'unreadable', reason }));
    // However often each of them is asked for.
    for (let index = 0; index < 2 * most; index += 1) await fail(index % most);
    expect(await askFor(subject, 'readable', ok)).toBe('fine');
    for (let index = 0; index <= most; index += 1) await fail(index);
    expect((await refusal(askFor(subject, 'another', ok))).details).toMatchObject({ reason: 'circuit-open' });
  });

  it('closes again by itself', async () => {
    const { client: subject } = scriptedClient(() => ({}));
    for (let index = 0; index < 6; index += 1) await refusal(ask(subject, () => drifted));
    expect(await ask(subject, () => ok)).toBe('fine');
  });
});

describe('identities', () => {
  it('keep their cookies to themselves', async () => {
    const { client: subject, transport } = scriptedClient(
      () => ({ headers: { 'set-cookie': ['mid=anon; Path=/', 'evil=1; Domain=.example.com'] } }),
      {
        sessions: [{ sessionid: 'one' }],
      },
    );
    await ask(subject, () => ok);
    await ask(subject, () => ok);
    await ask(subject, () => ok, { as: 'session' });
    expect(transport.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'mid=anon', 'sessionid=one']);
    expect(transport.requests[2]?.connectionKey).not.toBe(transport.requests[0]?.connectionKey);
  });

  it('are replaced when refused logged out: no cookies, fresh connection', async () => {
    const { client: subject, transport } = scriptedClient(() => ({ headers: { 'set-cookie': 'mid=anon; Path=/' } }));
    const seen: string[] = [];
    const value = await ask(subject, (_response, identity) => {
      seen.push(identity.label);
      return seen.length < 2 ? { kind: 'blocked', reason: 'login-wall' } : ok;
    });
    expect(value).toBe('fine');
    expect(new Set(seen).size).toBe(2);
    expect(transport.requests[1]?.headers.cookie).toBeUndefined();
    expect(transport.forgotten).toEqual([transport.requests[0]?.connectionKey]);
  });

  it('are given up after one replacement: without a proxy the address is the same', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}));
    const error = await refusal(ask(subject, () => ({ kind: 'blocked', reason: 'login-wall' })));
    expect(error).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', details: { reason: 'login-wall' } });
    expect(transport.requests).toHaveLength(2);
  });

  it('rest when throttled while another continues', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), {
      sessions: [{ sessionid: 'one' }, { sessionid: 'two' }],
      pacing: 'safe',
    });
    const read = (_response: unknown, { label }: { label: string }): Verdict<string> =>
      label === 'session-1' ? { kind: 'throttled', retryAfterSeconds: 600 } : ok;
    expect(await ask(subject, read, { as: 'session' })).toBe('fine');
    expect(subject.sessionStates()[0]?.state).toBe('resting');
    expect(transport.requests).toHaveLength(2);
  });
});

describe('requests', () => {
  it('have the shared headers and their own, or their own alone if they bring a user agent', async () => {
    const shared = { 'user-agent': 'browser', accept: 'text/html' };
    const { client: subject, transport } = scriptedClient(() => ({}), { headers: shared });
    const own = { 'user-agent': 'preview' };
    for (const headers of [undefined, { accept: '*/*', 'x-a': '1' }, own]) {
      await ask(subject, () => ok, { request: { url: '/x', headers } });
    }
    expect(transport.requests.map(({ headers }) => headers)).toEqual([
      shared,
      { ...shared, accept: '*/*', 'x-a': '1' },
      own,
    ]);
  });

  it('are answered with headers in any case, the first of several, and null for none', async () => {
    const headers = { location: '/login', 'set-cookie': ['a=1', 'b=2'], empty: [] };
    const { client: subject } = scriptedClient(() => ({ status: 302, headers, body: bytes('ż') }));
    const names = ['location', 'Location', 'Set-Cookie', 'empty', 'other'];
    const read = ({ status, text, header }: ScrapingResponse): Verdict<unknown> => ({
      kind: 'ok',
      value: [status, text, ...names.map((name) => header(name))],
    });
    expect(await ask(subject, read)).toEqual([302, 'ż', '/login', '/login', 'a=1', null, null]);
  });

  it('go to the platform’s own hosts only', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), { hosts: ['vm.tiktok.com'] });
    await ask(subject, () => ok, { request: { url: 'https://vm.tiktok.com/x' } });
    for (const url of ['https://vm.tiktok.com.evil.com/x', 'http://169.254.169.254/', 'https://vm.tiktok.com:8443/']) {
      await expect(ask(subject, () => ok, { request: { url } })).rejects.toThrow(TypeError);
    }
    await ask(subject, () => ok, { request: { url: '//evil.com/x' } });
    expect(transport.requests.map(({ url }) => url)).toEqual([
      'https://vm.tiktok.com/x',
      'https://www.instagram.com//evil.com/x',
    ]);
  });

  it('keep a path prefix of the base URL', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), { baseUrl: 'http://127.0.0.1:1/ig/' });
    await ask(subject, () => ok);
    expect(transport.requests[0]?.url).toBe('http://127.0.0.1:1/ig/x');
  });

  it('can be preceded by another one as the same identity', async () => {
    const { client: subject, transport } = scriptedClient(({ url }) => ({
      body: bytes(url.endsWith('/page') ? 'token' : 'data'),
    }));
    const value = await ask<string>(subject, ({ text }) => ({ kind: 'ok', value: text }), {
      request: async (_identity, send) => ({ url: `/api?t=${(await send({ url: '/page' })).text}` }),
    });
    expect(value).toBe('data');
    expect(transport.requests.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual([
      '/page',
      '/api?t=token',
    ]);
  });
});

describe('a transport of the operator’s own', () => {
  const sending = (send: SendRequest, options: Partial<ScrapingClientOptions> = {}): ScrapingClient =>
    scriptedClient(() => ({}), { transport: send, ...options }).client;

  it('is left at the deadline, whether it stops or not', async () => {
    const subject = sending(() => new Promise(() => undefined), { attemptTimeoutMs: 20 });
    expect((await refusal(ask(subject, () => ok))).code).toBe('PLATFORM_TIMEOUT');
    const caller = AbortSignal.timeout(20);
    expect(
      (
        await refusal(
          ask(
            sending(() => new Promise(() => undefined)),
            () => ok,
            {},
            { signal: caller },
          ),
        )
      ).code,
    ).toBe('PLATFORM_TIMEOUT');
  });

  it('cannot hand on a body that is too large', async () => {
    const subject = sending(async () => ({ status: 200, headers: {}, body: new Uint8Array(2_000) }), {
      maxBodyBytes: 1_024,
    });
    expect((await refusal(ask(subject, () => ok))).details?.reason).toBe('body-too-large');
  });

  it.each([
    { status: '200', headers: {}, body: bytes('') },
    { status: 200, headers: null, body: bytes('') },
    { status: 200, headers: {}, body: 'text' },
    null,
  ])('that resolves to %j is told from a platform that cannot be read', async (answer) => {
    const subject = sending(async () => answer as never);
    const reason = (await refusal(ask(subject, () => ok))).details?.reason;
    expect(reason).toBe('transport-answer');
  });

  it('is told the proxy, with the key of the identity in it', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), {
      proxyUrl: 'http://user-{session}:pw@proxy.example:8080',
      sessions: [{ sessionid: 'one' }],
    });
    await ask(subject, () => ok);
    await ask(subject, () => ok, { as: 'session' });
    expect(transport.requests.map(({ proxyUrl }) => proxyUrl)).toEqual(
      transport.requests.map(({ connectionKey }) => `http://user-${connectionKey}:pw@proxy.example:8080`),
    );
  });
});

describe('a session cookie that the platform takes away', () => {
  const sessions = [{ sessionid: 'one' }, { sessionid: 'two' }];
  const takeAway = { headers: { 'set-cookie': 'sessionid=""; Path=/; Max-Age=0' } };

  it('ends the session, and nothing of the answer is used', async () => {
    const { client: subject } = scriptedClient(({ headers }) => (headers.cookie === 'sessionid=one' ? takeAway : {}), {
      sessions,
      sessionCookie: 'sessionid',
    });
    const seen: string[] = [];
    const read = (_response: unknown, { label }: { label: string }): Verdict<string> => {
      seen.push(label);
      return { kind: 'ok', value: label };
    };
    expect(await ask(subject, read, { as: 'session' })).toBe('session-2');
    expect(seen).toEqual(['session-1', 'session-2']);
    expect(subject.sessionStates().map(({ state }) => state)).toEqual(['dead', 'active']);
  });

  it('ends the session at once, also beside a place that it is sent away to', async () => {
    const { client: subject } = scriptedClient(() => takeAway, { sessions, sessionCookie: 'sessionid' });
    const away: Verdict<string> = { kind: 'blocked', reason: 'front-page', session: 'sent-away' };
    await refusal(ask(subject, () => away, { as: 'session' }));
    expect(subject.sessionStates()).toEqual(['session-1', 'session-2'].map((label) => ({ label, state: 'dead' })));
  });

  it('does not hide a checkpoint', async () => {
    const { client: subject } = scriptedClient(() => takeAway, { sessions, sessionCookie: 'sessionid' });
    const checkpoint: Verdict<string> = { kind: 'blocked', reason: 'checkpoint-required', session: 'quarantined' };
    await refusal(ask(subject, () => checkpoint, { as: 'session' }));
    expect(subject.sessionStates().map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
  });
});

describe('closing', () => {
  it('ends the calls under way, and those that come later', async () => {
    const { client: subject, transport } = scriptedClient(
      ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { pacing: 'safe' },
    );
    const pending = refusal(ask(subject, () => ok));
    while (transport.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await subject.close();
    expect(await pending).toMatchObject({ code: 'PLATFORM_TIMEOUT', details: { reason: 'closed' } });
    expect((await refusal(ask(subject, () => ok))).code).toBe('PLATFORM_TIMEOUT');
    expect(transport.requests).toHaveLength(1);
  });
});

describe('pacing', () => {
  afterEach(() => void vi.useRealTimers());

  it('refuses at once also those who ask at the same moment', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), { pacing: 'safe' });
    const asked = await Promise.allSettled([1, 2, 3, 4, 5].map(() => ask(subject, () => ok)));
    const waits = asked.map((each) => (each.status === 'rejected' ? each.reason.retryAfterSeconds : 0));
    expect(waits).toEqual([0, 0, 0, 60, 60]);
    expect(transport.requests).toHaveLength(3);
  });

  it('is waited for as long as the caller has time, and no longer than the call is worth', async () => {
    // The pace goes by this clock, which stands still.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const refillEveryMs = 600_000;
    const rates = { page: { burst: 1, refillEveryMs, spacingMs: 0, concurrency: 1 } };
    const { client: subject, transport } = scriptedClient(() => ({}), { pacing: 'safe', rates });
    const first = ask(subject, () => ok);
    await vi.advanceTimersByTimeAsync(1);
    await first;
    expect((await refusal(ask(subject, () => ok))).details).toMatchObject({ reason: 'own-rate-limit' });
    const later = { deadline: new Date(Date.now() + 2 * refillEveryMs) };
    const impatient = ask(subject, () => ok, { pacePatienceMs: refillEveryMs / 2 }, later);
    expect((await refusal(impatient)).details).toMatchObject({ reason: 'own-rate-limit' });
    const patient = ask(subject, () => ok, {}, later);
    await vi.advanceTimersByTimeAsync(refillEveryMs - 1_000);
    expect(transport.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await patient).toBe('fine');
  });

  it('counts each identity and each class of endpoints apart', async () => {
    const { client: subject, transport } = scriptedClient(() => ({}), {
      pacing: 'safe',
      rates: { page: { ...RATES.page, burst: 1 }, api: { ...RATES.page, burst: 1 } },
      sessions: [{ sessionid: 'one' }],
    });
    await ask(subject, () => ok);
    await ask(subject, () => ok, { endpoint: 'api' });
    await ask(subject, () => ok, { as: 'session' });
    expect(transport.requests).toHaveLength(3);
    expect((await refusal(ask(subject, () => ok))).code).toBe('SCRAPING_RATE_LIMITED');
  });

  it('counts each account that is read apart, and all of them together', async () => {
    const rates = { page: { ...RATES.page, burst: 2 }, all: { ...RATES.page, burst: 3 } };
    const { client: subject, transport } = scriptedClient(() => ({}), { pacing: 'safe', rates });
    for (const account of ['one', 'one', 'two']) await ask(subject, () => ok, { account });
    expect(transport.requests).toHaveLength(3);
    for (const account of ['one', 'two']) {
      expect((await refusal(ask(subject, () => ok, { account }))).code).toBe('SCRAPING_RATE_LIMITED');
    }
  });

  it('rests an account whose answer says that little is left, and no other', async () => {
    // Without pacing, a millisecond counts as a second.
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { client: subject, transport } = scriptedClient(() => ({}));
    const call = { deadline: new Date(Date.now() + 300) };
    expect(await ask(subject, () => ({ ...ok, restSeconds: 900 }), { account: 'one' }, call)).toBe('fine');
    const error = await refusal(ask(subject, () => ok, { account: 'one' }, call));
    expect([error.code, error.retryAfterSeconds]).toEqual(['SCRAPING_RATE_LIMITED', 900]);
    expect(await ask(subject, () => ok, { account: 'two' })).toBe('fine');
    expect(transport.requests).toHaveLength(2);
  });

  it('refuses to make a request for which no rate is set', async () => {
    const { client: subject } = scriptedClient(() => ({}), { pacing: 'safe' });
    await expect(ask(subject, () => ok, { endpoint: 'other' })).rejects.toThrow(TypeError);
  });
});

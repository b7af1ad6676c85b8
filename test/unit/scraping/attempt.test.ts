import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ExchangeSettings, exchange } from '../../../adapters/scraping/attempt.ts';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import { createIdentity } from '../../../adapters/scraping/identity.ts';
import { BodyEncodingError, UnknownEncodingError } from '../../../adapters/scraping/transport.ts';
import type { ScrapingCall, ScrapingRequest, ScrapingResponse, Verdict } from '../../../adapters/scraping/types.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { bytes, type Script, type ScriptedTransport, scriptedTransport } from './scripted-transport.ts';

const BASE = 'https://www.instagram.com';
const identity = (kind: 'anonymous' | 'session', cookies: Record<string, string> = {}) =>
  createIdentity({ kind, label: kind, connectionKey: 'key', baseUrl: BASE, cookies });

let time: CallTime;
let transport: ScriptedTransport;
beforeEach(() => {
  vi.useFakeTimers();
  time = startCall(undefined, 60_000, systemClock, new AbortController().signal);
});
afterEach(() => {
  time.end();
  vi.useRealTimers();
});

interface Changes extends Partial<ExchangeSettings> {
  readonly request?: ScrapingCall<unknown>['request'];
  readonly read?: ScrapingCall<unknown>['read'];
  readonly as?: ReturnType<typeof identity>;
}

function attempt(script: Script, changes: Changes = {}): Promise<Verdict<unknown>> {
  const { request = { url: '/x' }, read = () => ({ kind: 'ok', value: 'read' }), as, ...settings } = changes;
  transport = scriptedTransport(script);
  return exchange({ endpoint: 'page', as: 'anonymous', request, read }, as ?? identity('anonymous'), time, {
    transport,
    proxyUrl: undefined,
    sessionCookie: undefined,
    baseUrl: BASE,
    hosts: [],
    headers: { 'user-agent': 'browser', accept: 'text/html' },
    attemptTimeoutMs: 1_000,
    maxBodyBytes: 10,
    ...settings,
  });
}

describe('a request', () => {
  const sent = async (request: ScrapingRequest) => {
    await attempt(() => ({}), { request });
    return transport.requests[0];
  };

  it('is a GET unless it says otherwise', async () => {
    expect((await sent({ url: '/x' }))?.method).toBe('GET');
    expect(await sent({ url: '/x', method: 'POST', body: 'a=1' })).toMatchObject({ method: 'POST', body: 'a=1' });
  });

  it('has the shared headers and its own, or its own alone if it brings a user agent', async () => {
    const shared = { 'user-agent': 'browser', accept: 'text/html' };
    expect((await sent({ url: '/x' }))?.headers).toEqual(shared);
    expect((await sent({ url: '/x', headers: { accept: '*/*', 'x-a': '1' } }))?.headers).toEqual({
      ...shared,
      accept: '*/*',
      'x-a': '1',
    });
    const own = { 'user-agent': 'preview' };
    expect((await sent({ url: '/x', headers: own }))?.headers).toEqual(own);
  });

  it('is not even built when the time is up', async () => {
    let built = 0;
    vi.advanceTimersByTime(60_000);
    const request = () => {
      built += 1;
      return { url: '/x' };
    };
    await expect(attempt(() => ({}), { request })).rejects.toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    expect([built, transport.requests]).toEqual([0, []]);
  });
});

describe('an answer', () => {
  it('tells its headers in any case, the first of several, and null for none', async () => {
    let response: ScrapingResponse | undefined;
    const headers = { location: '/login', 'set-cookie': ['a=1', 'b=2'], empty: [] };
    await attempt(() => ({ status: 302, headers, body: bytes('ż') }), {
      read: (given) => {
        response = given;
        return { kind: 'ok', value: 1 };
      },
    });
    const names = ['location', 'Location', 'Set-Cookie', 'empty', 'other'];
    expect(names.map((name) => response?.header(name))).toEqual(['/login', '/login', 'a=1', null, null]);
    expect(response).toMatchObject({ url: `${BASE}/x`, status: 302, text: 'ż' });
  });
});

describe('an exchange that breaks', () => {
  it.each<[string, Error, Verdict<unknown>]>([
    ['body', new BodyEncodingError('x'), { kind: 'unreadable', reason: 'broken-body', retries: 1 }],
    [
      'encoding',
      new UnknownEncodingError('lzma\n"'),
      { kind: 'unreadable', reason: 'unknown-encoding: lzma??', retries: 1 },
    ],
    ['connection', new Error('x'), { kind: 'unreadable', reason: 'network', retries: 2 }],
  ])('at its %s is tried again', async (_what, error, verdict) => {
    expect(await attempt(() => Promise.reject(error))).toEqual(verdict);
  });

  it('leaves no timer and no listener behind, as one that does not', async () => {
    const timers = vi.getTimerCount();
    await attempt(() => Promise.reject(new Error('x')));
    await attempt(() => ({}));
    expect(vi.getTimerCount()).toBe(timers);
    expect(getEventListeners(time.signal, 'abort')).toEqual([]);
  });
});

describe('a session whose cookie is gone after the answer', () => {
  const gone = { headers: { 'set-cookie': 'sessionid=; Max-Age=0' } };
  const over: Verdict<unknown> = { kind: 'blocked', reason: 'logged-out', session: 'dead' };
  const verdictFor = (verdict: Verdict<unknown>) =>
    attempt(() => gone, {
      read: () => verdict,
      sessionCookie: 'sessionid',
      as: identity('session', { sessionid: 'one' }),
    });

  it.each<[Verdict<unknown>, Verdict<unknown>]>([
    [{ kind: 'ok', value: 1 }, over],
    [{ kind: 'throttled' }, over],
    [{ kind: 'blocked', reason: 'odd' }, over],
    [
      { kind: 'blocked', reason: 'checkpoint', session: 'quarantined' },
      { kind: 'blocked', reason: 'checkpoint', session: 'quarantined' },
    ],
  ])('%j becomes %j', async (verdict, expected) => {
    expect(await verdictFor(verdict)).toEqual(expected);
  });
});

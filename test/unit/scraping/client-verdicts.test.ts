/** What one answer means for the calls after it. */
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ScrapingCall, ScrapingClientOptions, Verdict } from '../../../adapters/scraping/index.ts';
import { DomainError } from '../../../core/errors.ts';
import { drifted, ok, scriptedClient, sessions } from './scripted-client.ts';

const UNHURRIED = { burst: 200, refillEveryMs: 60_000, spacingMs: 0, concurrency: 10 };

/** Its clock stands still, so that a circuit stays open. */
const world = (options: Partial<ScrapingClientOptions> = {}, clock: () => number = () => 0) =>
  scriptedClient({
    pacing: 'safe',
    rates: { page: UNHURRIED, api: UNHURRIED },
    clock: { now: () => new Date(), monotonicMs: clock },
    ...options,
  });

const PAGE = { platform: 'instagram', endpoint: 'page' };
const CIRCUIT = { code: 'PLATFORM_UNAVAILABLE', reason: 'circuit-open', ...PAGE, retryAfter: 30 };

describe('an endpoint that cannot be read', () => {
  it('is left alone for half a minute, and no other one is', async () => {
    const { ask, transport } = world({ sessions: sessions(1) });
    for (let time = 0; time < 5; time += 1) expect(await ask(drifted)).toMatchObject({ reason: 'drifted' });
    expect(await ask(ok)).toMatchObject({ ...CIRCUIT, lastReason: 'drifted' });
    expect(transport.requests).toHaveLength(5);
    expect([await ask(ok, { endpoint: 'api' }), await ask(ok, { as: 'session' })]).toEqual(['fine', 'fine']);
  });

  it('leaves the other endpoints of its class alone, and is named', async () => {
    const { ask, logger } = world({ sessions: sessions(1) });
    const likers = { as: 'session', endpoint: 'api', kind: 'likers' } as const;
    for (let time = 0; time < 5; time += 1) expect(await ask(drifted, likers)).toMatchObject({ endpoint: 'likers' });
    expect(await ask(ok, likers)).toMatchObject({ reason: 'circuit-open', endpoint: 'likers' });
    expect(await ask(ok, { ...likers, kind: 'comments' })).toBe('fine');
    expect(logger.lines[0]?.fields).toMatchObject({ endpoint: 'likers', identity: 'session-1', reason: 'drifted' });
  });

  it('begins again after an answer that can be read, whatever it says', async () => {
    for (const answer of [ok, { kind: 'permanent', error: new DomainError('POST_NOT_FOUND', 'Gone.') } as const]) {
      const { ask } = world();
      for (let time = 0; time < 4; time += 1) await ask(drifted);
      await ask(answer);
      for (let time = 0; time < 4; time += 1) await ask(drifted);
      expect(await ask(ok)).toBe('fine');
    }
  });

  it('is left alone for twice as long each time, up to two minutes', async () => {
    let now = 0;
    const { ask } = world({}, () => now);
    for (const seconds of [30, 60, 120, 120]) {
      for (let time = 0; time < 5; time += 1) await ask(drifted);
      expect(await ask(ok)).toMatchObject({ reason: 'circuit-open', retryAfter: seconds });
      now += seconds * 1_000;
    }
    expect(await ask(ok)).toBe('fine');
  });

  it('is not asked by those who waited when it was given up', async () => {
    const { ask, transport } = world({ rates: { page: { ...UNHURRIED, concurrency: 3 } } });
    const broken: Verdict<string> = { kind: 'unreadable', reason: 'http-500' };
    await Promise.all(Array.from({ length: 60 }, (_each, post) => ask(broken, { about: `${post}` })));
    expect(transport.requests.length).toBeLessThanOrEqual(12);
  });

  it('is one that refuses every visitor, or a session that is in order', async () => {
    const blocked: Verdict<string> = { kind: 'blocked', reason: 'odd' };
    const visitors = world();
    // Each call tries another visitor.
    for (let time = 0; time < 2; time += 1) expect(await visitors.ask(blocked)).toMatchObject({ reason: 'odd' });
    expect(await visitors.ask(blocked)).toMatchObject({ reason: 'circuit-open', lastReason: 'odd' });
    const session = world({ sessions: sessions(1) });
    for (let time = 0; time < 5; time += 1) await session.ask(blocked, { as: 'session' });
    expect(await session.ask(ok, { as: 'session' })).toMatchObject({ reason: 'circuit-open' });
  });

  it('is not one whose sessions are over, however many', async () => {
    const { ask, states, logger, transport } = world({ sessions: sessions(7) });
    const read: ScrapingCall<string>['read'] = (_response, { label }) =>
      label === 'session-7' ? ok : { kind: 'blocked', reason: 'logged-out', session: 'dead' };
    expect(await ask(read, { as: 'session' })).toBe('fine');
    expect(transport.requests).toHaveLength(7);
    expect(states()).toEqual([...Array(6).fill('dead'), 'active']);
    const lost = logger.lines.filter(({ level }) => level === 'error');
    expect(lost).toHaveLength(6);
    expect(lost[0]).toMatchObject({
      message: 'A session is logged out: replace it.',
      fields: { platform: 'instagram', session: 'session-1', state: 'dead', reason: 'logged-out' },
    });
  });
});

describe('a session that an endpoint sends away', () => {
  const away: Verdict<string> = { kind: 'blocked', reason: 'front-page', session: 'sent-away' };
  const dead: Verdict<string> = { kind: 'blocked', reason: 'login-wall', session: 'dead' };
  const checkpoint: Verdict<string> = { kind: 'blocked', reason: 'checkpoint', session: 'quarantined' };
  const at = (kind: string) => ({ as: 'session', endpoint: 'api', kind }) as const;
  const HOURS = 3_600_000;

  it('is not asked there again, and stays in use everywhere else', async () => {
    const made = world({ sessions: sessions(2) });
    const refusal = { code: 'PLATFORM_UNAVAILABLE', reason: 'front-page', endpoint: 'info' };
    expect(await made.ask(away, at('info'))).toMatchObject(refusal);
    expect(await made.ask(ok, at('info'))).toMatchObject(refusal);
    expect(made.transport.requests).toHaveLength(2);
    expect(await made.ask(ok, at('likers'))).toBe('fine');
    expect(made.states()).toEqual(['active', 'active']);
    expect(made.client.sessionStates()[1]).toEqual({ label: 'session-2', state: 'active', sentAwayFrom: ['info'] });
    expect(made.logger.lines[0]).toMatchObject({
      level: 'warn',
      fields: { platform: 'instagram', identity: 'session-1', endpoint: 'info', reason: 'front-page' },
    });
  });

  it('is over once another endpoint sends it away too, and a third one that is asked next can tell otherwise', async () => {
    const made = world({ sessions: sessions(1) });
    await made.ask(away, at('info'));
    await made.ask(away, at('likers'));
    const states = made.client.sessionStates();
    expect(states).toEqual([{ label: 'session-1', state: 'dead', sentAwayFrom: ['info', 'likers'] }]);
    expect(await made.ask(away, at('comments'))).toMatchObject({ reason: 'front-page' });
    expect(await made.ask(ok, at('replies'))).toMatchObject({ reason: 'sessions-exhausted' });
    const retired = world({ sessions: sessions(1) });
    for (const endpoint of ['info', 'feed']) await retired.ask(away, at(endpoint));
    expect(retired.states()).toEqual(['dead']);
    expect(await retired.ask(ok, at('comments'))).toBe('fine');
    expect(retired.states()).toEqual(['active']);
    expect(await retired.ask(ok, at('likers'))).toBe('fine');
    expect(await retired.ask(ok, at('info'))).toMatchObject({ reason: 'front-page' });
  });

  it.each<[string, Verdict<string>, string, number]>([
    ['endpoints sent it away', away, 'dead', 6],
    ['a login was asked for', dead, 'dead', 6],
    ['it had to pass a check', checkpoint, 'quarantined', 24],
  ])('is tried again after hours, by one caller, when %s', async (_what, refusal, state, hours) => {
    let now = 0;
    const made = world({ sessions: sessions(1) }, () => now);
    for (const endpoint of ['info', 'feed', 'ruling']) await made.ask(refusal, at(endpoint));
    expect(made.states()).toEqual([state]);
    now = hours * HOURS - 1;
    expect(await made.ask(ok, at('likers'))).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    now = hours * HOURS;
    const tries = await Promise.all([made.ask(ok, at('likers')), made.ask(ok, at('likers'))]);
    expect(tries).toEqual(['fine', expect.objectContaining({ reason: 'sessions-exhausted' })]);
    expect(made.states()).toEqual(['active']);
    expect(await made.ask(ok, at('info'))).toBe('fine');
  });

  it('is asked there again after hours, once, with the cookie that it was made with', async () => {
    let now = 0;
    const made = world({ sessions: sessions(1), sessionCookie: 'sessionid' }, () => now);
    const cookies: (string | undefined)[] = [];
    const clearing: ScrapingCall<string>['read'] = async (_response, identity) => {
      cookies.push(await identity.cookie('sessionid'));
      if (cookies.length === 1) await identity.setCookie('sessionid', '');
      return ok;
    };
    expect(await made.ask(clearing, at('likers'))).toMatchObject({ reason: 'logged-out' });
    now = 6 * HOURS;
    expect(await made.ask(clearing, at('likers'))).toBe('fine');
    expect(cookies).toEqual(['s1', 's1']);
  });
});

describe('an attempt that failed', () => {
  it('is made again at once if the verdict says so, and not at all without the time for it', async () => {
    const { ask, transport, logger } = world();
    const verdicts: Verdict<string>[] = [{ kind: 'unreadable', reason: 'late', retries: 1, immediately: true }, ok];
    expect(await ask(() => verdicts.shift() ?? ok)).toBe('fine');
    expect(transport.requests).toHaveLength(2);
    const deadline = new Date(Date.now() + 1_000);
    const slow: Verdict<string> = { kind: 'unreadable', reason: 'network', retries: 3 };
    expect(await ask(slow, { options: { deadline } })).toMatchObject({ reason: 'network' });
    expect(transport.requests).toHaveLength(3);
    const facts = { platform: 'instagram', endpoint: 'page', identity: 'anonymous-1' };
    expect(logger.lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['warn', { ...facts, reason: 'late' }],
      ['warn', { ...facts, reason: 'network' }],
    ]);
  });

  it('says what the platform asked for and who it refused', async () => {
    const { ask, logger } = world();
    expect(await ask({ kind: 'throttled', retryAfterSeconds: 600 })).toMatchObject({
      code: 'SCRAPING_RATE_LIMITED',
      reason: 'throttled',
      platform: 'instagram',
      retryAfter: 600,
    });
    await ask({ kind: 'blocked', reason: 'odd' }, { endpoint: 'api' });
    expect(logger.lines.map(({ fields }) => fields)).toEqual([
      { platform: 'instagram', endpoint: 'page', identity: 'anonymous-1', waitMs: 600_000 },
      { platform: 'instagram', endpoint: 'api', identity: 'anonymous-1', reason: 'odd' },
      { platform: 'instagram', endpoint: 'api', identity: 'anonymous-2', reason: 'odd' },
    ]);
  });

  it.each([
    ['http://proxy.example', 'http://user-{session}@proxy.example', 2],
    ['http://proxy.example', 'http://proxy.example', 1],
    ['nobody', undefined, 1],
  ])(
    'leaves its rate to the next visitor, unless each has an address of its own (%s)',
    async (_what, proxyUrl, sent) => {
      const rates = { page: { ...UNHURRIED, burst: 1 } };
      const { ask, transport } = world({ rates, proxyUrl });
      const verdicts: Verdict<string>[] = [{ kind: 'blocked', reason: 'odd' }];
      const outcome = await ask(() => verdicts.shift() ?? ok);
      expect(transport.requests).toHaveLength(sent);
      if (sent === 2) expect(outcome).toBe('fine');
      else expect(outcome).toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    },
  );
});

describe('a call', () => {
  it('is not begun for a caller that has gone, and leaves nothing at the signal of one that stays', async () => {
    const { ask, transport } = world();
    expect(await ask(ok, { options: { signal: AbortSignal.abort() } })).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
    expect(transport.requests).toEqual([]);
    const { signal } = new AbortController();
    expect(await ask(ok, { options: { signal } })).toBe('fine');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import {
  CHECKS_PER_CREATOR,
  checkConnection,
  viewConnection,
} from '../../../core/engagement/connections/check-connection.ts';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { startConnection } from '../../../core/engagement/connections/start-connection.ts';
import { listAccounts } from '../../../core/engagement/creators/list-creators.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import type { PlatformProfile } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { T0 } from '../../support/engagement-samples.ts';
import { emptyProfile, platformsOf, showingProfiles } from '../../support/platforms.ts';
import { storageOfEachTest } from '../../support/storage-of-test.ts';
import { createTestClock } from '../../support/test-clock.ts';

const LIFETIME_MS = 30 * 60 * 1000;
const MAX_CHECKS = 10;

const storage = storageOfEachTest();
/** What the platform answers, and what it was asked. */
let answer: () => Promise<PlatformProfile | null>;
let asked: { readonly platform: PlatformName; readonly handle: string; readonly options: unknown }[];

beforeEach(() => {
  clock.set(T0);
  answer = async () => null;
  asked = [];
  limiter = createMemoryRateLimiter();
});

const { connections } = storage;
const clock = createTestClock(T0);
const platform = (name: PlatformName) =>
  showingProfiles(name, (handle, options) => {
    asked.push({ platform: name, handle, options });
    return answer();
  });
const platforms = platformsOf(platform('instagram'), platform('tiktok'));

const start = startConnection({ storage, platforms, clock, random: systemRandom });
const view = viewConnection({ storage, clock });
let limiter: RateLimiter;
const looks: Pick<RateLimiter, 'consume' | 'giveBack'> = {
  consume: (...args) => limiter.consume(...args),
  giveBack: (...args) => limiter.giveBack(...args),
};
const relay = { nudge: async () => {} };
const check = checkConnection({ storage, platforms, clock, limiter: looks, relay });
const accountsOf = listAccounts({ storage });

const begin = (handle: string | null = 'ada') => start({ externalId: 'ext-1', platform: 'instagram', handle });

const profile = (bio: string | null) => emptyProfile({ displayName: 'Ada Lovelace', bio, followerCount: 12 });

/** The request with all its looks but these used up. */
async function withChecksLeft(left: number): Promise<ConnectionRequest> {
  const request = await begin();
  const used = { ...request, checks: MAX_CHECKS - left, revision: request.revision + 1 };
  await connections.update(request, used);
  return used;
}

describe('a look at the profile', () => {
  it('is refused after twenty in ten minutes, whatever number of requests they are spread over', async () => {
    answer = async () => profile('nothing');
    let looks = 0;
    const look = async () => {
      const request = await start({ externalId: 'hasty', platform: 'instagram', handle: 'ada' });
      for (let count = 0; count < request.maxChecks; count += 1) {
        await check(request.id, null);
        looks += 1;
      }
    };
    const tooMany = expect.objectContaining({ code: 'SCRAPING_RATE_LIMITED', retryAfterSeconds: expect.any(Number) });
    await expect(
      (async () => {
        for (;;) await look();
      })(),
    ).rejects.toEqual(tooMany);
    expect(looks).toBe(20);
    const other = await start({ externalId: 'calm', platform: 'instagram', handle: 'ada' });
    expect((await check(other.id, null)).kind).toBe('not-found-in-bio');
  });

  it.each([
    ['no bio', profile(null)],
    ['the bio of somebody else', { ...profile('CODE'), handle: 'mallory' }],
    ['a handle that only looks the same', { ...profile('CODE'), handle: '\u0430da' }],
  ])('is counted and can be repeated on %s', async (_what, seen) => {
    const request = await begin();
    answer = async () => seen && { ...seen, bio: seen.bio?.replace('CODE', request.code) ?? null };
    const counted = { ...request, checks: 1, revision: 1 };
    expect(await check(request.id, null)).toEqual({ kind: 'not-found-in-bio', request: counted, handle: 'ada' });
    expect(await connections.find(request.id)).toEqual(counted);
    expect(await view(request.id)).toEqual({ kind: 'pending', request: counted });
    expect(await accountsOf('ext-1')).toEqual([]);
    answer = async () => profile(request.code);
    expect((await check(request.id, null)).kind).toBe('connected');
  });

  it('counts also when the platform fails, the last one too', async () => {
    const request = await withChecksLeft(2);
    answer = () => Promise.reject(new DomainError('PLATFORM_UNAVAILABLE', 'down'));
    await expect(check(request.id, null)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    expect((await view(request.id)).kind).toBe('pending');
    await expect(check(request.id, null)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    const usedUp = { checks: MAX_CHECKS, status: 'pending' };
    expect(await view(request.id)).toMatchObject({ kind: 'failed', request: usedUp });
    expect((await check(request.id, null)).kind).toBe('failed');
    expect(asked).toHaveLength(2);
  });

  it('of twenty clicks at once costs one look of the request and of the creator', async () => {
    const request = await begin();
    await Promise.allSettled(Array.from({ length: 20 }, () => check(request.id, null)));
    expect(asked).toHaveLength(1);
    expect(await connections.find(request.id)).toMatchObject({ checks: 1, status: 'pending' });
    const { units } = CHECKS_PER_CREATOR;
    expect((await looks.consume(CHECKS_PER_CREATOR, 'ext-1', 1)).remaining).toBe(units - 2);
  });

  it('of a creator whose looks are used up is refused and costs none of the request', async () => {
    const request = await begin();
    await looks.consume(CHECKS_PER_CREATOR, 'ext-1', CHECKS_PER_CREATOR.units);
    for (let click = 0; click < 20; click += 1) {
      await expect(check(request.id, null)).rejects.toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    }
    expect(asked).toEqual([]);
    expect(await connections.find(request.id)).toMatchObject({ checks: 0, status: 'pending' });
  });

  const unavailable = (reason: string, details = {}) =>
    new DomainError('PLATFORM_UNAVAILABLE', 'down', { details: { reason, ...details } });
  it.each([
    ['our own rate', new DomainError('SCRAPING_RATE_LIMITED', 'busy', { details: { reason: 'own-rate-limit' } }), 0],
    ['a platform that nothing reads', new DomainError('NOT_SUPPORTED', 'none'), 0],
    ['an open circuit', unavailable('circuit-open'), 0],
    ['missing sessions', unavailable('session-required'), 0],
    ['used up sessions', unavailable('sessions-exhausted'), 0],
    ['a rate that cannot be checked', unavailable('rate-limit-unavailable'), 0],
    ['a platform that cannot be read', unavailable('http-500'), 1],
    ['one of several sources', unavailable('session-required', { also: [{ source: 'provider' }] }), 1],
    ['a platform that is too slow', new DomainError('PLATFORM_TIMEOUT', 'slow'), 1],
    ['a profile that is not there', new DomainError('PROFILE_NOT_FOUND', 'none'), 1],
  ])('that ends with %s counts only if the platform may have been asked', async (_what, error, counted) => {
    const request = await begin();
    answer = () => Promise.reject(error);
    await expect(check(request.id, null)).rejects.toBe(error);
    expect(await connections.find(request.id)).toMatchObject({ checks: counted, status: 'pending' });
    const { remaining } = await looks.consume(CHECKS_PER_CREATOR, 'ext-1', 1);
    expect(remaining).toBe(CHECKS_PER_CREATOR.units - 1 - counted);
  });

  it('that finds the code ends the request, also if others were counted and given back meanwhile', async () => {
    const request = await begin();
    const first = Promise.withResolvers<PlatformProfile | null>();
    answer = () => first.promise;
    const slow = check(request.id, null);
    await expect.poll(() => asked.length).toBe(1);
    answer = () => Promise.reject(unavailable('circuit-open'));
    await expect(check(request.id, null)).rejects.toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
    first.resolve(profile(request.code));
    expect((await slow).kind).toBe('connected');
    expect((await view(request.id)).kind).toBe('connected');
    expect(await connections.find(request.id)).toMatchObject({ handle: 'ada', checks: 1, status: 'connected' });
  });
});

describe('a request expires', () => {
  it('after half an hour', async () => {
    const request = await begin();
    clock.pass(LIFETIME_MS - 1);
    expect(await view(request.id)).toEqual({ kind: 'pending', request });
    clock.pass(1);
    expect(await view(request.id)).toEqual({ kind: 'expired', request });
    expect(await check(request.id, null)).toEqual({ kind: 'expired', request });
    expect(asked).toEqual([]);
  });

  it('but not when it has come to an end before', async () => {
    const connected = await begin();
    answer = async () => profile(connected.code);
    await check(connected.id, null);
    const failed = await withChecksLeft(0);
    clock.pass(LIFETIME_MS);
    expect((await view(connected.id)).kind).toBe('connected');
    expect((await view(failed.id)).kind).toBe('failed');
    const given = await begin();
    await connections.update(given, { ...given, status: 'failed', revision: 1 });
    expect((await view(given.id)).kind).toBe('failed');
  });
});

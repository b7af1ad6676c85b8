import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstThatWorks, isUnreadable, type Way } from '../../../adapters/instagram/ways.ts';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import { DomainError, type ErrorCode } from '../../../core/errors.ts';
import { systemClock } from '../../../core/ports/clock.ts';

const failure = (code: ErrorCode, reason?: string, more: object = {}) =>
  new DomainError(code, `${code} ${reason}`, { ...(reason === undefined ? {} : { details: { reason } }), ...more });
const drifted = failure('PLATFORM_UNAVAILABLE', 'drifted');
const throttled = failure('SCRAPING_RATE_LIMITED', 'throttled', { retryAfterSeconds: 7 });
const bare = failure('PLATFORM_UNAVAILABLE');

describe('several ways to the same data', () => {
  let time: CallTime;
  let caller: AbortController;
  beforeEach(() => {
    caller = new AbortController();
    time = startCall({ signal: caller.signal }, 60_000, systemClock, new AbortController().signal);
  });
  afterEach(() => time.end());

  const failing = (name: string, error: Error, more: Partial<Way<string>> = {}): Way<string> => ({
    name,
    read: () => Promise.reject(error),
    ...more,
  });
  const caught = (ways: readonly Way<string>[]) =>
    firstThatWorks(time, ways).then(
      () => undefined,
      (error: unknown) => error,
    );

  it('are tried in order, each told why those before it failed', async () => {
    const seen: unknown[] = [];
    const last: Way<string> = {
      name: 'last',
      read: async (before) => {
        seen.push(...before);
        return 'read';
      },
    };
    const unused = failing('unused', new Error('x'));
    expect(await firstThatWorks(time, [failing('a', drifted), failing('b', throttled), last, unused])).toBe('read');
    expect(seen).toEqual([drifted, throttled]);
  });

  it('end at a clear answer, at one that is believed, and when the time is up', async () => {
    const clear = failure('POST_NOT_FOUND');
    const last = failing('last', new Error('x'));
    expect(await caught([failing('a', clear), last])).toBe(clear);
    expect(await caught([failing('a', drifted, { isBelieved: (error) => error === drifted }), last])).toBe(drifted);
    const leaving: Way<string> = {
      name: 'a',
      read: async () => {
        caller.abort();
        throw drifted;
      },
    };
    expect(await caught([leaving, last])).toMatchObject({ code: 'PLATFORM_TIMEOUT' });
  });

  it('fail as the first one did, with what the others said', async () => {
    expect(await caught([failing('a', bare)])).toBe(bare);
    const whole = await caught([failing('a', throttled), failing('b', drifted), failing('c', bare)]);
    expect(whole).toMatchObject({
      code: 'SCRAPING_RATE_LIMITED',
      retryAfterSeconds: 7,
      cause: throttled,
      details: {
        reason: 'throttled',
        way: 'a',
        also: [
          { way: 'b', code: 'PLATFORM_UNAVAILABLE', reason: 'drifted' },
          { way: 'c', code: 'PLATFORM_UNAVAILABLE', reason: undefined },
        ],
      },
    });
    expect(await caught([failing('a', bare), failing('b', throttled)])).toMatchObject({ retryAfterSeconds: undefined });
    expect(await caught([])).toBeInstanceOf(TypeError);
  });
});

describe('a failure', () => {
  it.each<[DomainError, boolean]>([
    [drifted, true],
    [failure('PLATFORM_UNAVAILABLE', 'broken-body'), true],
    [failure('POST_NOT_FOUND', 'drifted'), false],
    [failure('PLATFORM_UNAVAILABLE', 'unknown-page'), false],
    [failure('PLATFORM_UNAVAILABLE', 'graphql-error'), false],
    [failure('PLATFORM_UNAVAILABLE', 'blocked'), false],
    [failure('SCRAPING_RATE_LIMITED', 'unknown-page'), false],
    [bare, false],
  ])('%s is unreadable: %s', (error, unreadable) => {
    expect(isUnreadable(error)).toBe(unreadable);
  });
});

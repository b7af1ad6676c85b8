import { describe, expect, it } from 'vitest';
import { createIdentity } from '../../../adapters/scraping/identity.ts';
import { createSessionPool, type SessionPool } from '../../../adapters/scraping/session-pool.ts';
import { createTestClock } from '../../support/test-clock.ts';

function world(...labels: readonly string[]): {
  pool: SessionPool;
  pass: (ms: number) => void;
  set: (time: number) => void;
  next: (...exclude: readonly string[]) => string | number | null;
  /** For another endpoint than `next`. */
  nextAt: (endpoint: string, ...exclude: readonly string[]) => string | number | null;
} {
  const clock = createTestClock(1_000_000);
  const baseUrl = 'https://platform.test';
  const pool = createSessionPool({
    sessions: labels.map((label) => createIdentity({ kind: 'session', label, connectionKey: label, baseUrl })),
    clock,
    quarantineMs: 10_000,
    probeMs: 5_000,
  });
  const nextAt = (endpoint: string, ...exclude: readonly string[]) => {
    const acquired = pool.acquire(endpoint, new Set(exclude));
    if (acquired === null) return null;
    return 'identity' in acquired ? acquired.identity.label : acquired.restMs;
  };
  return {
    pool,
    ...clock,
    next: (...exclude) => nextAt('likers', ...exclude),
    nextAt,
  };
}

const stateOf = (pool: SessionPool, label: string) => pool.states().find((each) => each.label === label)?.state;

describe('sessions', () => {
  it('take turns, the one used least recently first, without those left out', () => {
    const { pool, next } = world('a', 'b', 'c');
    expect(pool.size).toBe(3);
    expect([next(), next(), next('a'), next('b'), next(), next()]).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(next('a', 'b', 'c')).toBeNull();
  });

  it('rest for as long as they are told, the longer of two rests', () => {
    const { pool, next, pass } = world('a', 'b');
    pool.rest('a', 1_000);
    pool.rest('a', 400);
    pool.rest('b', 3_000);
    expect(next()).toBe(1_000);
    expect(next('a')).toBe(3_000);
    pass(999);
    expect([next(), stateOf(pool, 'a')]).toEqual([1, 'resting']);
    pass(1);
    expect([stateOf(pool, 'a'), next(), next('a')]).toEqual(['active', 'a', 2_000]);
  });

  it('rest for as long as they are told when the clock is set meanwhile', () => {
    const { pool, next, pass, set } = world('a');
    pool.rest('a', 1_000);
    set(0);
    expect(next()).toBe(1_000);
    pass(999);
    set(9_000_000);
    expect(next()).toBe(1);
    pass(1);
    expect(next()).toBe('a');
  });

  it.each([
    ['quarantined', 10_000],
    ['dead', 5_000],
  ] as const)('that are %s are tried once after a while, and work again if they are answered', (state, ms) => {
    const { pool, next, pass } = world('a');
    pool.retire('a', state, 'certain');
    pool.rest('a', 1);
    // Of a request that was sent before.
    expect(pool.answered('a', 'likers')).toBe(false);
    expect([next(), pool.states()]).toEqual([null, [{ label: 'a', state }]]);
    pass(ms - 1);
    expect(next()).toBeNull();
    pass(1);
    expect([next(), next(), stateOf(pool, 'a')]).toEqual(['a', null, state]);
    expect(pool.answered('a', 'comments')).toBe(true);
    expect([next(), pool.states()]).toEqual(['a', [{ label: 'a', state: 'active' }]]);
  });

  it('that are refused when they are tried wait for as long again; without an answer, for minutes', () => {
    const { pool, next, nextAt, pass } = world('a');
    pool.retire('a', 'dead', 'certain');
    pool.retire('a', 'quarantined', 'certain');
    pass(5_000);
    expect(next()).toBe('a');
    pool.sentAway('a', 'likers', 'front-page');
    expect(stateOf(pool, 'a')).toBe('dead');
    pass(4_999);
    expect(next()).toBeNull();
    pass(1);
    expect([next(), next()]).toEqual(['a', null]);
    pass(10 * 60_000);
    expect(nextAt('comments')).toBe('a');
  });

  it('that are likely over are tried at once, at an endpoint that does not send them away', () => {
    const { pool, next, nextAt, pass } = world('a');
    for (const endpoint of ['info', 'feed']) pool.sentAway('a', endpoint, 'front-page');
    pool.retire('a', 'dead', 'likely');
    expect([nextAt('info'), nextAt('feed'), stateOf(pool, 'a')]).toEqual([null, null, 'dead']);
    expect([next(), next()]).toEqual(['a', null]);
    pool.sentAway('a', 'likers', 'front-page');
    pass(4_999);
    expect(nextAt('comments')).toBeNull();
    pass(1);
    expect(nextAt('comments')).toBe('a');
  });

  it('that an endpoint sends away are not asked there, and elsewhere they are', () => {
    const { pool, next, nextAt, pass } = world('a', 'b');
    expect(pool.sentAway('a', 'info', 'front-page')).toEqual(['info']);
    expect([nextAt('info', 'b'), nextAt('info'), next('b'), pool.left('info', new Set(['b']))]).toEqual([
      null,
      'b',
      'a',
      'none',
    ]);
    expect([pool.whySentAway('info'), pool.whySentAway('likers')]).toEqual(['front-page', undefined]);
    expect(pool.states()[0]).toEqual({ label: 'a', state: 'active', sentAwayFrom: ['info'] });
    pool.answered('a', 'likers');
    expect(pool.sentAway('a', 'feed', 'front-page')).toEqual(['info', 'feed']);
    pass(5_000);
    // One caller tries it, and an answer ends it.
    expect([nextAt('info', 'b'), nextAt('info', 'b')]).toEqual(['a', null]);
    pool.answered('a', 'info');
    expect([nextAt('info', 'b'), pool.states()[0]]).toEqual([
      'a',
      { label: 'a', state: 'active', sentAwayFrom: ['feed'] },
    ]);
    // What was hours ago says nothing about now.
    expect(pool.sentAway('a', 'likers', 'front-page')).toEqual(['likers']);
  });

  it('of other names are nobody’s', () => {
    const { pool } = world('a');
    pool.retire('nobody', 'dead', 'certain');
    pool.rest('nobody', 1);
    expect([pool.sentAway('nobody', 'likers', 'x'), pool.answered('nobody', 'likers')]).toEqual([[], false]);
    expect(pool.states()).toEqual([{ label: 'a', state: 'active' }]);
  });
});

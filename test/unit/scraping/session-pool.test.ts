import { describe, expect, it } from 'vitest';
import { createIdentity } from '../../../adapters/scraping/identity.ts';
import { createSessionPool, type SessionPool } from '../../../adapters/scraping/session-pool.ts';
import { createTestClock } from '../../support/test-clock.ts';

function world(...labels: readonly string[]): {
  pool: SessionPool;
  pass: (ms: number) => void;
  set: (time: number) => void;
  next: (...exclude: readonly string[]) => string | number | null;
} {
  const clock = createTestClock(1_000_000);
  const baseUrl = 'https://platform.test';
  const pool = createSessionPool({
    sessions: labels.map((label) => createIdentity({ kind: 'session', label, connectionKey: label, baseUrl })),
    clock,
    quarantineMs: 10_000,
  });
  return {
    pool,
    ...clock,
    next(...exclude) {
      const acquired = pool.acquire(new Set(exclude));
      if (acquired === null) return null;
      return 'identity' in acquired ? acquired.identity.label : acquired.restMs;
    },
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

  it('come back from quarantine, and not to rest in between', () => {
    const { pool, next, pass } = world('a');
    pool.retire('a', 'quarantined');
    pool.rest('a', 1);
    expect([next(), stateOf(pool, 'a')]).toEqual([null, 'quarantined']);
    pass(9_999);
    expect(next()).toBeNull();
    pass(1);
    expect(next()).toBe('a');
  });

  it('never come back from the dead', () => {
    const { pool, next, pass } = world('a', 'b');
    pool.retire('a', 'dead');
    pool.retire('a', 'quarantined');
    pool.rest('a', 1);
    pool.retire('nobody', 'dead');
    pool.rest('nobody', 1);
    pass(1_000_000);
    expect([next(), next(), next('b')]).toEqual(['b', 'b', null]);
    expect(pool.states()).toEqual([
      { label: 'a', state: 'dead' },
      { label: 'b', state: 'active' },
    ]);
  });
});

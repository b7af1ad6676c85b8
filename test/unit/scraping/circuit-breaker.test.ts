import { describe, expect, it } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker } from '../../../adapters/scraping/circuit-breaker.ts';
import { createTestClock, type TestClock } from '../../support/test-clock.ts';

function world(threshold?: number): { breaker: CircuitBreaker } & TestClock {
  const clock = createTestClock(1_000_000);
  const breaker = createCircuitBreaker({
    clock,
    restMs: 1_000,
    maxRestMs: 5_000,
    ...(threshold === undefined ? {} : { threshold }),
  });
  return { breaker, ...clock };
}

const unnamed = { reason: 'unreadable', isTransport: false };
const about = (resource: number, isTransport = false) => ({ resource: String(resource), reason: 'odd', isTransport });

function fail(breaker: CircuitBreaker, from: number, to: number, isTransport = false): void {
  for (let resource = from; resource <= to; resource += 1) breaker.failed('posts', about(resource, isTransport));
}

describe('the circuit breaker', () => {
  it('rests as long as it should when the clock is set meanwhile', () => {
    const { breaker, pass, set } = world();
    breaker.confirm('posts', 'gone');
    set(0);
    expect(breaker.restMs('posts')).toBe(1_000);
    pass(400);
    set(9_000_000);
    expect(breaker.restMs('posts')).toBe(600);
  });

  it('rests twice as long each time, up to a limit, and begins again after a success', () => {
    const { breaker, pass } = world();
    const rests: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      breaker.confirm('posts', 'gone');
      rests.push(breaker.restMs('posts'));
      pass(10_000);
      expect(breaker.restMs('posts')).toBe(0);
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    breaker.succeeded('posts');
    breaker.confirm('posts', 'gone');
    expect(breaker.restMs('posts')).toBe(1_000);
    pass(400);
    expect(breaker.restMs('posts')).toBe(600);
  });

  it.each([undefined, 2])('opens after as many failures about no resource as its threshold says', (threshold) => {
    const { breaker } = world(threshold);
    for (let time = 1; time < (threshold ?? 5); time += 1) breaker.failed('posts', unnamed);
    expect(breaker.restMs('posts')).toBe(0);
    breaker.failed('posts', unnamed);
    expect(breaker.restMs('posts')).toBe(1_000);
    expect(breaker.restMs('profiles')).toBe(0);
  });

  it('opens after 10 resources in a row that cannot be fetched, and 26 that cannot be read', () => {
    for (const [isTransport, most] of [
      [true, 9],
      [false, 25],
    ] as const) {
      const { breaker } = world();
      fail(breaker, 1, most, isTransport);
      fail(breaker, 1, most, isTransport);
      expect(breaker.restMs('posts')).toBe(0);
      fail(breaker, most + 1, most + 1, isTransport);
      expect(breaker.restMs('posts')).toBe(1_000);
    }
  });

  it('is not opened by any number of resources while a readable one is known', () => {
    const { breaker } = world();
    for (let resource = 1; resource <= 100; resource += 1) {
      breaker.failed('posts', { ...about(resource, true), isProbed: true });
    }
    expect([breaker.restMs('posts'), breaker.isInDoubt('posts')]).toEqual([0, true]);
  });

  it('does not rest longer for requests that fail while it is open', () => {
    const { breaker, pass } = world();
    for (let time = 0; time < 20; time += 1) breaker.failed('posts', unnamed);
    expect(breaker.restMs('posts')).toBe(1_000);
    pass(1_000);
    breaker.failed('posts', unnamed);
    expect(breaker.restMs('posts')).toBe(2_000);
  });

  it('is in doubt after as many different resources as its threshold says', () => {
    const { breaker } = world();
    expect(breaker.isInDoubt('posts')).toBe(false);
    fail(breaker, 1, 4);
    fail(breaker, 1, 4);
    expect(breaker.isInDoubt('posts')).toBe(false);
    fail(breaker, 5, 5);
    expect(breaker.isInDoubt('posts')).toBe(true);
    breaker.succeeded('posts');
    expect(breaker.isInDoubt('posts')).toBe(false);
  });

  it('tells why the last answer could not be read', () => {
    const { breaker } = world();
    expect(breaker.lastReason('posts')).toBeUndefined();
    breaker.failed('posts', unnamed);
    breaker.failed('posts', about(1));
    expect(breaker.lastReason('posts')).toBe('odd');
    breaker.succeeded('posts');
    expect(breaker.lastReason('posts')).toBeUndefined();
  });
});

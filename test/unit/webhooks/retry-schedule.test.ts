import { describe, expect, it } from 'vitest';
import { nextTryAt, RETRY_DELAYS_MS } from '../../../core/engagement/webhooks/retry-schedule.ts';

const now = new Date('2026-11-01T12:00:00Z');
const hours = (count: number) => count * 3_600_000;
const next = (tries: number, retryAfter: string | null = null, random = 0.5) => {
  const at = nextTryAt({ tries, now, retryAfter, delays: RETRY_DELAYS_MS, random: () => random });
  return at === null ? null : at.getTime() - now.getTime();
};

describe('retry schedule', () => {
  it('varies by a fifth either way', () => {
    expect(next(1, null, 0)).toBe(4_000);
    expect(next(1, null, 1)).toBe(6_000);
  });

  it('takes Retry-After as the least wait, at most a day', () => {
    expect(next(1, '60')).toBe(60_000);
    expect(next(2, '60')).toBe(300_000);
    expect(next(1, '99999999999')).toBe(hours(24));
    expect(next(1, 'Sun, 01 Nov 2026 12:02:00 GMT')).toBe(120_000);
    expect(next(1, 'soon')).toBe(5_000);
  });
});

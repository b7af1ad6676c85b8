/** What every `RateLimiter` has to do. Run it against an adapter: `rateLimiterContract({ name, open })`. */
import { afterEach, describe, expect, it } from 'vitest';
import type { LimitRule, RateLimiter } from '../../../core/ports/rate-limiter.ts';

/** How a rate limiter is made for the suite. */
export interface RateLimiterContractOptions {
  /** Of the adapter, for the titles of the tests. */
  readonly name: string;
  /** A limiter; shared counters need not be empty. */
  readonly open: () => Promise<RateLimiter>;
}

let counter = 0;

/** Registers the tests that every `RateLimiter` must pass, with vitest. */
export function rateLimiterContract({ name, open }: RateLimiterContractOptions): void {
  describe(`rate limiter: ${name}`, () => {
    const opened: RateLimiter[] = [];
    const limiter = async () => {
      const made = await open();
      opened.push(made);
      return made;
    };
    const key = () => `key-${process.pid}-${Date.now()}-${counter++}`;
    const rule = (changes: Partial<LimitRule> = {}): LimitRule => ({
      name: 'test',
      units: 5,
      windowSeconds: 60,
      ...changes,
    });

    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
    });

    it('allows up to the limit and counts down', async () => {
      const subject = await limiter();
      const own = key();
      const decisions = [];
      for (let index = 0; index < 6; index += 1) decisions.push(await subject.consume(rule(), own, 1));
      expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 4],
        [true, 3],
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
      ]);
      for (const { limit, resetSeconds } of decisions) {
        expect(limit).toBe(5);
        expect(resetSeconds).toBeGreaterThan(0);
        expect(resetSeconds).toBeLessThanOrEqual(60);
      }
    });

    it('takes all units of a request or none of them', async () => {
      const subject = await limiter();
      const own = key();
      expect(await subject.consume(rule(), own, 3)).toMatchObject({ allowed: true, remaining: 2 });
      expect(await subject.consume(rule(), own, 3)).toMatchObject({ allowed: false, remaining: 2 });
      expect(await subject.consume(rule(), own, 2)).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('never allows more than a window holds, and refuses without taking', async () => {
      const subject = await limiter();
      const own = key();
      expect(await subject.consume(rule(), own, 6)).toMatchObject({ allowed: false, remaining: 5 });
      expect(await subject.consume(rule(), own, 5)).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('admits exactly the limit of concurrent calls', async () => {
      const subject = await limiter();
      const own = key();
      const wide = rule({ units: 40 });
      const decisions = await Promise.all(Array.from({ length: 100 }, () => subject.consume(wide, own, 1)));
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(40);
    });

    it('lets no refused call keep a smaller one out', async () => {
      const subject = await limiter();
      const own = key();
      const decisions = await Promise.all([4, 3, 1].map((units) => subject.consume(rule(), own, units)));
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true]);
    });

    it('counts keys and rules apart', async () => {
      const subject = await limiter();
      const [one, other] = [key(), key()];
      await subject.consume(rule(), one, 5);
      expect(await subject.consume(rule(), other, 1)).toMatchObject({ allowed: true });
      expect(await subject.consume(rule({ name: 'other' }), one, 1)).toMatchObject({ allowed: true });
      expect(await subject.consume(rule(), one, 1)).toMatchObject({ allowed: false });
    });

    it('takes any text as a key', async () => {
      const subject = await limiter();
      for (const own of ['', '__proto__', 'constructor', '::1', 'ü\u0000:*', 'x'.repeat(2_000)]) {
        expect(await subject.consume(rule(), `${own}${key()}`, 5)).toMatchObject({ allowed: true, remaining: 0 });
      }
    });

    it('begins again when the window has ended', async () => {
      const subject = await limiter();
      const own = key();
      const short = rule({ windowSeconds: 1 });
      expect(await subject.consume(short, own, 5)).toMatchObject({ allowed: true });
      await expect
        .poll(async () => (await subject.consume(short, own, 5)).allowed, { timeout: 5_000, interval: 100 })
        .toBe(true);
    });

    it('holds a limit through a window that is longer than timers reach', async () => {
      const subject = await limiter();
      const own = key();
      const long = rule({ windowSeconds: 2_592_000 });
      expect(await subject.consume(long, own, 5)).toMatchObject({ allowed: true, remaining: 0 });
      // A timer that overflows goes off after a millisecond.
      await new Promise((resolve) => setTimeout(resolve, 20));
      const refused = await subject.consume(long, own, 1);
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      expect(refused.resetSeconds).toBeGreaterThan(2_591_000);
    });

    it('takes back what refused work has taken, and no more than is counted', async () => {
      const subject = await limiter();
      const own = key();
      await subject.consume(rule(), own, 4);
      const left = await subject.giveBack(rule(), own, 3);
      expect(left).toMatchObject({ allowed: true, limit: 5, remaining: 4 });
      expect(left.resetSeconds).toBeGreaterThan(0);
      expect(left.resetSeconds).toBeLessThanOrEqual(60);
      expect(await subject.giveBack(rule(), own, 3)).toMatchObject({ remaining: 5 });
      expect(await subject.consume(rule(), own, 5)).toMatchObject({ allowed: true, remaining: 0 });
      expect(await subject.consume(rule(), own, 1)).toMatchObject({ allowed: false, remaining: 0 });
    });

    it('takes nothing back into a window that has not begun', async () => {
      const subject = await limiter();
      const own = key();
      expect(await subject.giveBack(rule(), own, 3)).toMatchObject({ allowed: true, remaining: 5 });
      expect(await subject.consume(rule(), own, 6)).toMatchObject({ allowed: false, remaining: 5 });
      expect(await subject.consume(rule(), own, 5)).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('counts exactly when calls take and give back at the same time', async () => {
      const subject = await limiter();
      const own = key();
      const wide = rule({ units: 40 });
      const kept = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const { allowed } = await subject.consume(wide, own, 1);
          if (allowed && index % 2 === 0) await subject.giveBack(wide, own, 1);
          return allowed && index % 2 !== 0;
        }),
      );
      const remaining = 40 - kept.filter(Boolean).length;
      expect(await subject.consume(wide, own, remaining + 1)).toMatchObject({ allowed: false, remaining });
      if (remaining > 0)
        expect(await subject.consume(wide, own, remaining)).toMatchObject({ allowed: true, remaining: 0 });
    });

    it('closes twice', async () => {
      const subject = await limiter();
      await subject.close();
      await subject.close();
    });
  });
}

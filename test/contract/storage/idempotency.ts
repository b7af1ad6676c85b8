import { describe, expect, it } from 'vitest';
import { later, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const DAY = 24 * 60 * 60;

export function idempotencyStoreContract(create: () => Promise<StorageWorld>): void {
  describe('idempotency keys', () => {
    const stage = prepareStage(create);

    const claimOf = (key: string, lease: string, seconds = 0, fingerprint = 'same') => ({
      key,
      fingerprint,
      lease,
      leaseUntil: later(seconds + 30),
      expiresAt: later(seconds + DAY),
    });

    it('claim: one of concurrent callers runs, the others see that it runs, then its answer', async () => {
      const key = unique('key');
      const claim = (index: number) => stage.turn(index).idempotency.claim(claimOf(key, `lease-${index}`), T0);
      const found = await parallel(12, claim);
      expect(found.filter((one) => one === null)).toHaveLength(1);
      expect(found.filter((one) => one !== null)).toEqual(Array(11).fill({ fingerprint: 'same', answer: null }));
      const winner = `lease-${found.indexOf(null)}`;
      expect(await stage.other.idempotency.end(key, winner, '{"status":201}')).toBe(true);
      expect(await claim(13)).toEqual({ fingerprint: 'same', answer: '{"status":201}' });
      expect(await stage.storage.idempotency.claim(claimOf(unique('key'), 'lease'), T0)).toBeNull();
    });

    it('claim: an answer is kept until its key expires, whatever its lease', async () => {
      const { idempotency } = stage.storage;
      const key = unique('key');
      await idempotency.claim(claimOf(key, 'first'), T0);
      await idempotency.end(key, 'first', 'answer');
      const again = (seconds: number, fingerprint?: string) =>
        stage.other.idempotency.claim(claimOf(key, 'again', seconds, fingerprint), later(seconds));
      expect(await again(DAY - 1)).toEqual({ fingerprint: 'same', answer: 'answer' });
      expect(await again(DAY - 1, 'other')).toEqual({ fingerprint: 'same', answer: 'answer' });
      expect(await again(DAY, 'other')).toBeNull();
      expect(await again(DAY + 1, 'other')).toEqual({ fingerprint: 'other', answer: null });
    });

    it('claim: one of concurrent callers takes over a lease that ran out, and only for the same request', async () => {
      const key = unique('key');
      expect(await stage.storage.idempotency.claim(claimOf(key, 'dead'), T0)).toBeNull();
      const claim = (index: number, seconds: number, fingerprint?: string) =>
        stage.turn(index).idempotency.claim(claimOf(key, `lease-${index}`, seconds, fingerprint), later(seconds));
      expect(await claim(0, 29)).toEqual({ fingerprint: 'same', answer: null });
      expect(await claim(0, 30, 'other')).toEqual({ fingerprint: 'same', answer: null });
      const found = await parallel(12, (index) => claim(index, 30));
      expect(found.filter((one) => one === null)).toHaveLength(1);
      // The process was not dead but slow: its answer comes too late.
      const { idempotency } = stage.storage;
      expect(await idempotency.end(key, 'dead', 'late')).toBe(false);
      expect(await idempotency.renew(key, 'dead', later(99))).toBe(false);
      await idempotency.end(key, 'dead', null);
      expect(await claim(0, 31)).toEqual({ fingerprint: 'same', answer: null });
    });

    it('claim: a lease of a clock that was ahead does not hold a key for longer than any', async () => {
      const key = unique('key');
      expect(await stage.storage.idempotency.claim(claimOf(key, 'ahead', 7_200), later(7_200))).toBeNull();
      expect(await stage.other.idempotency.claim(claimOf(key, 'other', 1, 'other'), later(1))).not.toBeNull();
      expect(await stage.other.idempotency.claim(claimOf(key, 'next', 1), later(1))).toBeNull();
    });

    it('renew: a lease lasts longer until its answer is stored', async () => {
      const { idempotency } = stage.storage;
      const key = unique('key');
      await idempotency.claim(claimOf(key, 'first'), T0);
      expect(await idempotency.renew(key, 'first', later(60))).toBe(true);
      expect(await stage.other.idempotency.claim(claimOf(key, 'next', 59), later(59))).not.toBeNull();
      await idempotency.end(key, 'first', 'answer');
      expect(await idempotency.renew(key, 'first', later(90))).toBe(false);
      expect(await idempotency.renew(unique('key'), 'first', later(90))).toBe(false);
    });

    it('release: the key is free for any request at once, and only its own lease frees it; an answer stays', async () => {
      const { idempotency } = stage.storage;
      const key = unique('key');
      await idempotency.claim(claimOf(key, 'first'), T0);
      await idempotency.end(key, 'first', null);
      expect(await stage.other.idempotency.claim(claimOf(key, 'second', 0, 'other'), T0)).toBeNull();
      await idempotency.end(key, 'first', null);
      expect(await idempotency.claim(claimOf(key, 'third'), T0)).toEqual({ fingerprint: 'other', answer: null });
      await idempotency.end(key, 'second', 'answer');
      await idempotency.end(key, 'second', null);
      expect(await idempotency.claim(claimOf(key, 'third'), T0)).toEqual({ fingerprint: 'other', answer: 'answer' });
    });
  });
}

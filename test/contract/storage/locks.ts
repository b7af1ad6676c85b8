import { describe, expect, it } from 'vitest';
import { later, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function lockStoreContract(create: () => Promise<StorageWorld>): void {
  describe('locks', () => {
    const stage = prepareStage(create);

    it('claimOnce: true for one caller until the key expired', async () => {
      const key = unique('callback');
      const claim = (index: number, expiresAt: Date, now: Date) =>
        stage.turn(index).locks.claimOnce(key, expiresAt, now);
      const first = await parallel(12, (index) => claim(index, later(60), T0));
      expect(first.filter((one) => one)).toHaveLength(1);
      expect(await claim(0, later(90), later(59))).toBe(false);
      const second = await parallel(12, (index) => claim(index, later(200), later(60)));
      expect(second.filter((one) => one)).toHaveLength(1);
      expect(await claim(1, later(300), later(199))).toBe(false);
      // Long after, when expired keys have been swept away.
      expect(await claim(0, later(90_060), later(90_000))).toBe(true);
      expect(await claim(1, later(90_060), later(90_001))).toBe(false);
    });

    it('claimOnce: again for the same holder, for no other, until the key expired', async () => {
      const key = unique('proof');
      const claim = (index: number, holder: string | undefined, expiresAt: Date, now: Date) =>
        stage.turn(index).locks.claimOnce(key, expiresAt, now, holder);
      const holderOf = (now: Date) => stage.other.locks.holderOf(key, now);
      expect(await holderOf(T0)).toBeNull();
      const holders = ['a', 'b', 'c'];
      const results = await parallel(12, (index) => claim(index, holders[index % 3], later(60), T0));
      const holder = holders[results.indexOf(true) % 3];
      expect(results).toEqual(results.map((_, index) => holders[index % 3] === holder));
      expect(await holderOf(later(59))).toBe(holder);
      expect(await claim(0, holder, later(90), later(59))).toBe(true);
      expect(await claim(1, 'other', later(90), later(59))).toBe(false);
      expect(await claim(1, undefined, later(90), later(59))).toBe(false);
      // Claiming again does not make it last longer.
      expect(await holderOf(later(60))).toBeNull();
      expect(await claim(1, 'other', later(200), later(60))).toBe(true);
      expect(await claim(0, holder, later(200), later(61))).toBe(false);
      expect(await holderOf(later(61))).toBe('other');
      expect(await claim(0, undefined, later(300), later(200))).toBe(true);
      expect(await holderOf(later(201))).toBeNull();
      expect(await claim(0, 'other', later(300), later(201))).toBe(false);
      expect(await stage.other.locks.holderOf(unique('unknown'), T0)).toBeNull();
    });
  });
}

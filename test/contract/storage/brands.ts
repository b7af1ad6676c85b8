import { describe, expect, it } from 'vitest';
import { parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function brandStoreContract(create: () => Promise<StorageWorld>): void {
  describe('brands', () => {
    const stage = prepareStage(create);
    const newBrand = (slug = unique('brand')) => ({ name: 'A Brand', slug, logoUrl: null, createdAt: T0 });

    it('are created, found and listed by id', async () => {
      const first = await stage.storage.brands.create(newBrand());
      const second = await stage.storage.brands.create({ ...newBrand(), logoUrl: 'https://example.com/l.png' });
      expect(second).toMatchObject({ name: 'A Brand', logoUrl: 'https://example.com/l.png', createdAt: T0 });
      expect(await stage.other.brands.find(second?.id ?? 0)).toEqual(second);
      expect(await stage.other.brands.find(987_654)).toBeNull();
      expect((await stage.other.brands.list()).items.slice(0, 2)).toEqual([first, second]);
    });

    it('of concurrent creates with one slug exactly one succeeds', async () => {
      const slug = unique('taken');
      const before = await stage.world.count('brands');
      const results = await parallel(30, (index) => stage.turn(index).brands.create(newBrand(slug)));
      expect(results.filter((one) => one !== null)).toHaveLength(1);
      expect(await stage.world.count('brands')).toBe(before + 1);
    });

    it('concurrent creates get different ids', async () => {
      const results = await parallel(30, (index) => stage.turn(index).brands.create(newBrand()));
      expect(new Set(results.map((one) => one?.id)).size).toBe(30);
    });
  });
}

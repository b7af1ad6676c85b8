import { describe, expect, it } from 'vitest';
import { newCampaign, newChallenge, newWebhook, parallel, T0, unique } from './samples.ts';
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

    it('update sets what is given, and no slug of another brand', async () => {
      const { brands } = stage.storage;
      const brand = await brands.create({ ...newBrand(), logoUrl: 'https://example.com/l.png' });
      const other = await brands.create(newBrand());
      if (brand === null || other === null) throw new Error('A brand is missing.');
      const slug = unique('renamed');
      const renamed = { ...brand, name: 'Another name', slug };
      expect(await brands.update(brand.id, { name: 'Another name', slug })).toEqual(renamed);
      expect(await stage.other.brands.update(brand.id, { logoUrl: null, slug })).toEqual({ ...renamed, logoUrl: null });
      expect(await brands.update(brand.id, {})).toEqual({ ...renamed, logoUrl: null });
      expect(await brands.update(other.id, { name: 'No', slug })).toBe('slug-taken');
      expect(await stage.other.brands.find(other.id)).toEqual(other);
      // The slug of before is free again.
      expect(await brands.update(other.id, { slug: brand.slug })).toEqual({ ...other, slug: brand.slug });
      expect(await brands.update(987_654, { name: 'x' })).toBeNull();
    });

    it('of concurrent updates to one slug exactly one succeeds', async () => {
      const made = await parallel(10, () => stage.storage.brands.create(newBrand()));
      const slug = unique('wanted');
      const results = await parallel(10, (index) => stage.turn(index).brands.update(made[index]?.id ?? 0, { slug }));
      expect(results.filter((one) => one === 'slug-taken')).toHaveLength(9);
    });

    it('delete removes a brand that nothing belongs to, and tells what another one has', async () => {
      const { brands, campaigns, webhooks } = stage.storage;
      const brand = await brands.create(newBrand());
      const brandId = brand?.id ?? 0;
      const { campaign } = await campaigns.create(newCampaign({ brandId }), newChallenge());
      const webhook = await webhooks.create(newWebhook(brandId));
      expect(await stage.other.brands.delete(brandId)).toEqual({ campaigns: 1, webhooks: 1 });
      expect(await brands.find(brandId)).toEqual(brand);
      await campaigns.delete(campaign.id);
      expect(await brands.delete(brandId)).toEqual({ campaigns: 0, webhooks: 1 });
      await webhooks.delete(brandId, webhook.id);
      const results = await parallel(6, (index) => stage.turn(index).brands.delete(brandId));
      expect(results.filter((one) => one === 'deleted')).toHaveLength(1);
      expect(results.filter((one) => one === 'not-found')).toHaveLength(5);
      expect(await stage.other.brands.find(brandId)).toBeNull();
      const next = await brands.create({ ...newBrand(), slug: brand?.slug ?? '' });
      expect(next?.id).toBeGreaterThan(brandId);
    });

    it('delete against a creation: who creates first keeps the brand, who comes later does not find it', async () => {
      for (let round = 0; round < 10; round += 1) {
        const brandId = (await stage.storage.brands.create(newBrand()))?.id ?? 0;
        const create = async () => {
          const { campaign } = await stage.storage.campaigns.create(newCampaign({ brandId }), newChallenge());
          return (await stage.storage.brands.find(brandId)) !== null || campaign.id;
        };
        const [found, deletion] = await Promise.all([create(), stage.other.brands.delete(brandId)]);
        if (found === true) expect(deletion).toEqual({ campaigns: 1, webhooks: 0 });
        // While a deletion is looking, a creation may be withdrawn for a brand that stays.
        else expect(['deleted', { campaigns: 1, webhooks: 0 }]).toContainEqual(deletion);
      }
    });

    it('concurrent creates get different ids', async () => {
      const results = await parallel(30, (index) => stage.turn(index).brands.create(newBrand()));
      expect(new Set(results.map((one) => one?.id)).size).toBe(30);
    });
  });
}

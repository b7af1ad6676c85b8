import { describe, expect, it } from 'vitest';
import { isDomainError } from '../../../core/errors.ts';
import { countComments, linkInput, newComment, parallel, storedChallenge, T0 } from './samples.ts';
import type { StorageWorld } from './world.ts';

export function lifecycleContract(create: () => Promise<StorageWorld>): void {
  describe('lifecycle', () => {
    const within = async (work: (world: StorageWorld) => Promise<void>): Promise<void> => {
      const world = await create();
      try {
        await work(world);
      } finally {
        await world.close();
      }
    };
    const refusal = (promise: Promise<unknown>): Promise<boolean> =>
      promise.then(
        () => false,
        (error: unknown) => isDomainError(error, 'SERVICE_UNAVAILABLE'),
      );

    it('two processes open an empty database at once', () =>
      within(async (world) => {
        const storages = await parallel(2, () => world.open());
        await Promise.all(storages.map((storage) => storage.ping()));
        const brands = await parallel(4, (index) => {
          const slug = `slug-${index}`;
          const storage = storages[index % storages.length];
          return storage?.brands.create({ name: 'n', slug, logoUrl: null, createdAt: T0 }) ?? Promise.resolve(null);
        });
        expect(new Set(brands.map((brand) => brand?.id)).size).toBe(4);
      }));

    it('open twice, close twice', () =>
      within(async (world) => {
        const storage = await world.open();
        await Promise.all([storage.open(), storage.open()]);
        await storage.ping();
        await Promise.all([storage.close(), storage.close()]);
        await storage.close();
        expect(await refusal(storage.ping())).toBe(true);
        expect(await refusal(storage.creators.find(1))).toBe(true);
        expect(await refusal(storage.creators.link(linkInput()))).toBe(true);
      }));

    it('what was written is there after closing and opening again', () =>
      within(async (world) => {
        const storage = await world.open();
        const linked = await storage.creators.link(linkInput());
        const challengeId = await storedChallenge(storage);
        await storage.comments.insertNew(challengeId, [newComment()], T0);
        await storage.close();
        const again = await world.open();
        expect(await again.creators.find(linked.creator.id)).toEqual(linked.creator);
        expect(await countComments(again.comments, challengeId)).toBe(1);
        expect((await again.creators.link(linkInput())).creator.id).toBeGreaterThan(linked.creator.id);
        expect(await storedChallenge(again)).toBeGreaterThan(challengeId);
        await storage.open();
        expect(await storage.creators.find(linked.creator.id)).toEqual(linked.creator);
      }));
  });
}

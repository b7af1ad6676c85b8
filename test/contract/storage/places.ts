import { describe, expect, it } from 'vitest';
import { parallel, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function placeStoreContract(create: () => Promise<StorageWorld>): void {
  describe('places', () => {
    const stage = prepareStage(create);
    const place = (key: string, holder: number, revision = 1, amount = 1) => ({ key, holder, revision, amount });

    it.each([1, 7])('take: as many of many callers as there are places, %i', async (atMost) => {
      const key = unique('places');
      const taken = await parallel(24, (index) => stage.turn(index).places.take({ ...place(key, index + 1), atMost }));
      expect(taken.filter(Boolean)).toHaveLength(atMost);
      expect(await stage.other.places.used(key)).toBe(atMost);
      expect(await stage.other.places.used(unique('others'))).toBe(0);
      // One more.
      const again = await parallel(24, (index) =>
        stage.turn(index).places.take({ ...place(key, index + 1), atMost: atMost + 1 }),
      );
      expect(again.filter(Boolean)).toHaveLength(atMost + 1);
      expect(again.filter((has, index) => has || taken[index])).toHaveLength(atMost + 1);
    });

    it('take: the calls of one holder count once', async () => {
      const key = unique('places');
      const taken = await parallel(12, (index) =>
        stage.turn(index).places.take({ ...place(key, 5, index, 40), atMost: 60 }),
      );
      expect(taken).toEqual(taken.map(() => true));
      expect(await stage.other.places.used(key)).toBe(40);
      expect(await stage.other.places.take({ ...place(key, 6, 1, 30), atMost: 60 })).toBe(false);
      expect(await stage.other.places.take({ ...place(key, 6, 1, 20), atMost: 60 })).toBe(true);
      // A holder keeps its place, also if fewer may be taken by now.
      expect(await stage.other.places.take({ ...place(key, 6, 1, 20), atMost: 0 })).toBe(true);
      expect(await stage.other.places.take({ ...place(unique('places'), 6), atMost: 0 })).toBe(false);
    });

    it('release: by the revision that took it last, or a later one', async () => {
      const key = unique('places');
      await stage.storage.places.take({ ...place(key, 1, 3, 10), atMost: 20 });
      await stage.storage.places.take({ ...place(key, 2, 9, 10), atMost: 20 });
      await stage.other.places.take({ ...place(key, 1, 5, 10), atMost: 20 });
      await stage.other.places.take({ ...place(key, 1, 4, 10), atMost: 20 });
      const release = (revision: number) =>
        parallel(6, (index) => stage.turn(index).places.release({ key, holder: 1, revision }));
      await release(4);
      expect(await stage.storage.places.used(key)).toBe(20);
      await release(5);
      expect(await stage.storage.places.used(key)).toBe(10);
      await stage.other.places.release({ key: unique('places'), holder: 1, revision: 9 });
      expect(await stage.other.places.take({ ...place(key, 3, 1, 10), atMost: 20 })).toBe(true);
      expect(await stage.other.places.take({ ...place(key, 4, 1, 10), atMost: 20 })).toBe(false);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { parallel, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const NONE = { batchRequests: 0, batchBillableUnits: 0, lookups: 0, proofs: 0, verifications: 0, compressions: 0 };

export function usageStoreContract(create: () => Promise<StorageWorld>): void {
  describe('usage', () => {
    const stage = prepareStage(create);
    const read = async (key: string, month: string, { usage } = stage.storage) => {
      const found = await usage.between(key, month, `${month}~`);
      expect(found.map(({ period }) => period)).toEqual(found.length === 0 ? [] : [month]);
      return { ...NONE, ...found[0]?.counts };
    };

    it('concurrent additions are never lost', async () => {
      const key = unique('token:$.a');
      expect(await read(key, '2026-03')).toEqual(NONE);
      await parallel(20, (index) => {
        return stage.turn(index).usage.add(key, '2026-03', { batchRequests: 1, batchBillableUnits: index });
      });
      expect(await read(key, '2026-03', stage.other)).toEqual({
        ...NONE,
        batchRequests: 20,
        batchBillableUnits: 190,
      });
    });

    it('callers and months are counted apart', async () => {
      const key = unique('token');
      await stage.storage.usage.add(key, '2026-03', { lookups: 2 });
      await stage.storage.usage.add(key, '2026-04', { proofs: 3, lookups: 0 });
      await stage.storage.usage.add(key, '2026-04', {});
      expect(await read(key, '2026-03')).toEqual({ ...NONE, lookups: 2 });
      expect(await read(key, '2026-04')).toEqual({ ...NONE, proofs: 3 });
      expect(await read(unique('token'), '2026-03')).toEqual(NONE);
    });

    it('between: the hours of a platform in order, from one until before another', async () => {
      const key = unique('platform');
      for (const hour of ['T11', 'T10', 'T12', 'T09', 'T11']) {
        await stage.storage.usage.add(key, `2026-03-01${hour}`, { reads: 2, failures: 1 });
      }
      const found = await stage.other.usage.between(key, '2026-03-01T10', '2026-03-01T12');
      expect(found.map(({ period, counts }) => [period, counts.reads, counts.failures])).toEqual([
        ['2026-03-01T10', 2, 1],
        ['2026-03-01T11', 4, 2],
      ]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { CanaryRecord } from '../../../core/canaries/canary.ts';
import { later, NASTY_TEXTS, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function canaryStoreContract(create: () => Promise<StorageWorld>): void {
  describe('canaries', () => {
    const stage = prepareStage(create);
    const storedIn = async ({ canaries }: typeof stage.storage, target: string) =>
      (await canaries.list()).find((record) => record.target === target) ?? null;
    const drifted = (target: string): CanaryRecord => ({
      target,
      platform: 'tiktok',
      verdict: 'drifted',
      since: T0,
      fields: ['bio', ...NASTY_TEXTS],
      missing: ['bio'],
      failure: { code: 'PLATFORM_TIMEOUT', message: NASTY_TEXTS.join() },
      readAt: later(5),
      lastOkAt: null,
      durationMs: 12,
      outbox: [
        {
          id: unique('canary'),
          event: {
            event: 'platform.drifted',
            timestamp: T0,
            brandId: null,
            data: { platform: 'tiktok', canary: target, verdict: 'drifted', missing: ['bio'] },
          },
        },
      ],
      revision: 1,
    });

    it('are stored as they are, with the events that announce them', async () => {
      const one = drifted(unique('https://www.tiktok.com/@a/video/1?b={"$gt":""}'));
      const two = { ...drifted(unique('tiktok:b')), failure: null, lastOkAt: later(1), outbox: [] };
      expect(await storedIn(stage.storage, one.target)).toBeNull();
      for (const record of [one, two]) expect(await stage.storage.canaries.save(record)).toBe(true);
      expect(await storedIn(stage.other, one.target)).toEqual(one);
      expect(await stage.other.canaries.list()).toEqual(expect.arrayContaining([one, two]));
      await stage.storage.canaries.remove(one.target);
      expect(await storedIn(stage.other, one.target)).toBeNull();
    });

    it('save: one of concurrent callers replaces the revision before', async () => {
      const record = drifted(unique('tiktok:c'));
      const save = (revision: number) =>
        parallel(8, (index) => stage.turn(index).canaries.save({ ...record, revision }));
      for (const revision of [1, 2]) expect((await save(revision)).filter((done) => done)).toHaveLength(1);
      expect(await stage.storage.canaries.save({ ...record, revision: 4 })).toBe(false);
    });
  });
}

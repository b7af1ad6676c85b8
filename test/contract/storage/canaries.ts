import { describe, expect, it } from 'vitest';
import type { CanaryRecord } from '../../../core/canaries/canary.ts';
import type { EventEntry } from '../../../core/engagement/webhooks/outbox.ts';
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
      revision: 1,
    });

    const event = (canary: string): EventEntry => ({
      id: unique('canary'),
      kind: 'event',
      event: {
        event: 'platform.drifted',
        timestamp: T0,
        brandId: null,
        data: { platform: 'tiktok', canary, verdict: 'drifted', missing: ['bio'] },
      },
    });
    const outboxOf = async (target: string) =>
      (await stage.other.outbox.pending(1_000)).find(({ owner }) => owner === `canaries:${target}`)?.entries ?? [];

    it('are stored as they are, with the events that announce them', async () => {
      const one = drifted(unique('https://www.tiktok.com/@a/video/1?b={"$gt":""}'));
      const two = { ...drifted(unique('tiktok:b')), failure: null, lastOkAt: later(1) };
      expect(await storedIn(stage.storage, one.target)).toBeNull();
      for (const record of [one, two])
        expect(await stage.storage.canaries.save(record, [event(record.target)])).toBe(true);
      expect(await storedIn(stage.other, one.target)).toEqual(one);
      expect(await stage.other.canaries.list()).toEqual(expect.arrayContaining([one, two]));
      expect(await outboxOf(one.target)).toMatchObject([event(one.target)].map(({ id, ...rest }) => rest));
      await stage.storage.canaries.remove(one.target);
      expect(await storedIn(stage.other, one.target)).toBeNull();
      expect(await outboxOf(one.target)).toEqual([]);
      const owner = `canaries:${two.target}` as const;
      const entryIds = (await outboxOf(two.target)).map(({ id }) => id);
      await stage.storage.outbox.acknowledge([{ owner, entryIds }]);
      expect(await outboxOf(two.target)).toEqual([]);
      expect(await storedIn(stage.other, two.target)).toEqual(two);
    });

    it('save: one of concurrent callers replaces the revision before', async () => {
      const record = drifted(unique('tiktok:c'));
      const save = (revision: number) =>
        parallel(8, (index) => stage.turn(index).canaries.save({ ...record, revision }, [event(record.target)]));
      for (const revision of [1, 2]) expect((await save(revision)).filter((done) => done)).toHaveLength(1);
      expect(await outboxOf(record.target)).toHaveLength(2);
      expect(await stage.storage.canaries.save({ ...record, revision: 4 }, [])).toBe(false);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { later, storedChallenge } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function metricsStoreContract(create: () => Promise<StorageWorld>): void {
  describe('metrics', () => {
    const stage = prepareStage(create);

    it('the latest snapshot by fetchedAt; every snapshot is kept', async () => {
      const challengeId = await storedChallenge(stage.storage);
      expect(await stage.storage.metrics.latest(challengeId)).toBeNull();
      const snapshot = (seconds: number, likeCount: number | null) => ({
        challengeId,
        likeCount,
        commentCount: 2,
        shareCount: null,
        viewCount: 3_000_000_000,
        thumbnailUrl: 'https://example.com/t.jpg',
        fetchedAt: later(seconds),
      });
      await stage.storage.metrics.add(snapshot(5, 10));
      await stage.storage.metrics.add(snapshot(1, 1));
      expect(await stage.other.metrics.latest(challengeId)).toEqual(snapshot(5, 10));
      await stage.storage.metrics.add(snapshot(5, null));
      expect(await stage.other.metrics.latest(challengeId)).toEqual(snapshot(5, null));
      expect(await stage.world.count('metrics')).toBe(3);
    });
  });
}

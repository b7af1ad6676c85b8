/** Work whose job is nowhere gets one again, on every storage. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueReward } from '../../../core/engagement/attempts/issue-reward.ts';
import {
  fetchLikersJob,
  fetchLikersNow,
  type LikersDeps,
  requestLikers,
} from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { DomainError } from '../../../core/errors.ts';
import { recoverLostWork } from '../../../core/maintenance/recover-lost-work.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { createAttempt, linkInput, newAttempt, newCampaign, newChallenge } from '../../contract/storage/samples.ts';
import { platformsOf, REGISTRY } from '../../support/platforms.ts';
import { eachStorage, openTestStorage } from '../../support/storage.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { ScriptedPlatform } from '../challenge-data/support.ts';

const START = new Date('2026-11-01T09:30:00Z');
const MINUTE = 60_000;

await eachStorage((kind) => {
  describe('recovering lost work', () => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let jobs: NewJob[];
    beforeEach(async () => {
      made = await openTestStorage(kind);
      clock.set(START);
      jobs = [];
    });
    afterEach(() => made.close());

    const clock = createTestClock(START);
    const queue = {
      enqueue: async (added: readonly NewJob[]) => {
        for (const job of added) if (!jobs.some(({ key }) => key === job.key)) jobs.push(job);
      },
    };
    const recover = () =>
      recoverLostWork({
        storage: made.storage,
        queue,
        clock,
        logger: silentLogger,
      })();

    it('attempts that wait for long are verified or rewarded after all', async () => {
      const { campaigns, attempts, creators } = made.storage;
      const { challenge } = await campaigns.create(newCampaign({ pointsReward: 25 }), newChallenge());
      const { creator } = await creators.link(linkInput({ now: START }));
      const store = async (userId: number, state: 'verified' | 'verification_pending' | 'awaiting_claim') => {
        const sample = newAttempt(challenge.id, userId, { state, updatedAt: START });
        const created = await createAttempt(attempts, sample, []);
        if (created.kind !== 'created') throw new Error(created.kind);
        return created.attempt.id;
      };
      const verified = await store(creator.id, 'verified');
      const pending = await store(creator.id + 1, 'verification_pending');
      await store(creator.id + 2, 'awaiting_claim');
      clock.pass(59 * MINUTE);
      expect(await recover()).toBe(0);
      clock.pass(2 * MINUTE);
      expect(await recover()).toBe(2);
      expect(jobs).toEqual([
        { type: 'issue-reward', key: `issue-reward:again:${verified}`, payload: { attemptId: verified } },
        { type: 'verify-attempt', key: `verify-attempt:again:${pending}`, payload: { attemptId: pending } },
      ]);
      const relay = { handOver: async () => {} };
      const deps = { storage: made.storage, platforms: REGISTRY, clock, random: systemRandom, relay };
      await issueReward(deps)({ attemptId: verified });
      expect(await attempts.find(verified)).toMatchObject({ state: 'rewarded', pointsAwarded: 25 });
      expect(await recover()).toBe(1);
    });

    it('likers whose fetch lost its job, or never had one, are fetched after all', async () => {
      const { campaigns, likers } = made.storage;
      const { challenge } = await campaigns.create(newCampaign(), newChallenge({ action: 'like' }));
      const platform = new ScriptedPlatform('instagram', true);
      const platforms = platformsOf(platform);
      const dying = { ...queue, enqueue: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'gone')) };
      const deps: LikersDeps = { storage: made.storage, platforms, queue: dying, clock, logger: silentLogger };
      await expect(requestLikers(deps)(challenge.id, 10)).rejects.toThrow('gone');
      const requested = await likers.findFetch({ challengeId: challenge.id });
      clock.pass(MINUTE);
      // A verification whose process dies while it reads: nothing follows.
      platform.before = () => new Promise(() => {});
      void fetchLikersNow(deps)(challenge.id);
      await expect.poll(async () => (await likers.findFetch({ challengeId: challenge.id }))?.status).toBe('running');
      const verifying = await likers.findFetch({ challengeId: challenge.id });
      clock.pass(9 * MINUTE);
      expect(await recover()).toBe(0);
      clock.pass(1);
      expect(await recover()).toBe(1);
      clock.pass(MINUTE);
      expect(await recover()).toBe(2);
      const payloads = [requested, verifying].map((fetch) => ({ challengeId: challenge.id, fetchId: fetch?.id ?? 0 }));
      const owed = payloads.map((payload) => ({ type: 'fetch-likers', key: `likers:${payload.fetchId}`, payload }));
      expect(jobs).toEqual(owed);
      platform.before = () => {};
      platform.likers = { likers: [], totalLikes: 0 };
      const context = { run: 1, signal: new AbortController().signal };
      for (const payload of payloads) {
        await fetchLikersJob({ ...deps, queue })(payload, context);
        expect(await likers.findFetch(payload.fetchId)).toMatchObject({ status: 'succeeded' });
      }
      expect(await recover()).toBe(0);
    });
  });
});

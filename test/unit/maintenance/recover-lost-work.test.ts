/** Work whose job is nowhere gets one again, on every storage. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { issueReward } from '../../../core/engagement/attempts/issue-reward.ts';
import {
  fetchLikersJob,
  fetchLikersNow,
  type LikersDeps,
  requestLikers,
} from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { sendTestEvent } from '../../../core/engagement/webhooks/deliveries.ts';
import { deliveryJob } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { updateWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import { DomainError } from '../../../core/errors.ts';
import { recoverLostWork } from '../../../core/maintenance/recover-lost-work.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import {
  createAttempt,
  newAttempt,
  newCampaign,
  newChallenge,
  newDelivery,
  newWebhook,
} from '../../contract/storage/samples.ts';
import { platformsOf } from '../../support/platforms.ts';
import { eachStorage, openTestStorage } from '../../support/storage.ts';
import { ScriptedPlatform } from '../challenge-data/support.ts';

const START = new Date('2026-11-01T09:30:00Z');
const MINUTE = 60_000;

await eachStorage((kind) => {
  describe('recovering lost work', () => {
    let made: Awaited<ReturnType<typeof openTestStorage>>;
    let now: Date;
    let jobs: NewJob[];
    beforeEach(async () => {
      made = await openTestStorage(kind);
      now = START;
      jobs = [];
    });
    afterEach(() => made.close());

    const clock = { now: () => now };
    const pass = (ms: number) => {
      now = new Date(now.getTime() + ms);
    };
    const queue = {
      enqueue: async (added: readonly NewJob[]) => {
        for (const job of added) if (!jobs.some(({ key }) => key === job.key)) jobs.push(job);
      },
      start: async () => {},
      stop: async () => {},
      stats: async () => ({ queued: jobs.length, running: 0, dead: 0 }),
    };
    const recover = () =>
      recoverLostWork({
        storage: made.storage,
        queue,
        clock,
        logger: silentLogger,
      })();

    it('a test event whose process died before its job was queued is sent after all', async () => {
      const { webhooks, deliveries } = made.storage;
      const { id } = await webhooks.create(newWebhook(1));
      const dying = { ...queue, enqueue: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'gone')) };
      const test = sendTestEvent({ storage: made.storage, queue: dying, random: systemRandom, clock });
      await expect(test(1, id)).rejects.toThrow('gone');
      const [delivery] = (await deliveries.listByWebhook(id, { page: 1, limit: 10 })).items;
      expect(delivery).toMatchObject({ status: 'pending', event: 'webhook.test' });
      pass(MINUTE);
      expect(await recover()).toBe(0);
      pass(2 * MINUTE);
      expect(await recover()).toBe(1);
      const key = `deliver:${delivery?.id}`;
      expect(jobs).toMatchObject([{ type: 'deliver-webhook', key, payload: { deliveryId: delivery?.id } }]);
      // Its job is known by its key: looking again, and in several processes, makes no second one.
      await Promise.all([recover(), recover()]);
      expect(jobs).toHaveLength(1);
    });

    it('a lost delivery behind a long backlog with living jobs gets its job', async () => {
      const { webhooks, deliveries } = made.storage;
      const { id } = await webhooks.create(newWebhook(1));
      // All due at one time, as those of one dispatch are.
      const backlog = await deliveries.createMany(
        Array.from({ length: 1_000 }, () => newDelivery(id, { nextTryAt: START })),
      );
      jobs = backlog.map((each) => deliveryJob(each));
      const [lost] = await deliveries.createMany([newDelivery(id, { nextTryAt: START })]);
      pass(3 * MINUTE);
      const again = recoverLostWork({ storage: made.storage, queue, clock, logger: silentLogger });
      const looks = [await again(), await again(), await again()];
      expect(looks).toEqual([500, 500, 1]);
      expect(jobs.at(-1)?.key).toBe(`deliver:${lost?.id}`);
      // Then from the beginning.
      expect(await again()).toBe(500);
    });

    it('deliveries of a paused webhook are no lost work, until it is activated and its process dies', async () => {
      const { webhooks, deliveries, brands } = made.storage;
      const brand = await brands.create({ name: 'Acme', slug: 'acme', logoUrl: null, createdAt: START });
      const { id } = await webhooks.create(newWebhook(brand?.id ?? 0));
      const delivery = await sendTestEvent({ storage: made.storage, queue, random: systemRandom, clock })(
        brand?.id ?? 0,
        id,
      );
      jobs = [];
      const dying = { ...queue, enqueue: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'gone')) };
      const set = (active: boolean) =>
        updateWebhook({
          storage: made.storage,
          queue: dying,
          secretBox: createSecretBox(new Uint8Array(32).fill(1)),
          egress: createEgressGuard(),
          random: systemRandom,
          clock,
        })({ brandId: brand?.id ?? 0, webhookId: id, changes: { active } });
      await set(false);
      pass(100 * 24 * 60 * MINUTE);
      expect(await recover()).toBe(0);
      const purged = await made.storage.retention.purge('deliveries', now, 0);
      expect(purged.removed).toBe(0);
      await expect(set(true)).rejects.toThrow('gone');
      expect(await webhooks.findById(id)).toMatchObject({ active: true });
      expect(await recover()).toBe(1);
      expect(jobs).toMatchObject([{ key: `deliver:${delivery.id}` }]);
      expect(await deliveries.find(delivery.id)).toEqual(delivery);
    });

    it('attempts that wait for long are verified or rewarded after all', async () => {
      const { campaigns, attempts, creators } = made.storage;
      const { challenge } = await campaigns.create(newCampaign({ pointsReward: 25 }), newChallenge());
      const { creator } = await creators.link({
        externalId: 'ada',
        email: 'ada@example.com',
        displayName: null,
        platform: 'instagram',
        handle: 'ada',
        profileData: {},
        ownershipProven: false,
        now: START,
      });
      const store = async (userId: number, state: 'verified' | 'verification_pending' | 'awaiting_claim') => {
        const created = await createAttempt(
          attempts,
          newAttempt(challenge.id, userId, { state, updatedAt: START }),
          [],
        );
        if (created.kind !== 'created') throw new Error(created.kind);
        return created.attempt.id;
      };
      const verified = await store(creator.id, 'verified');
      const pending = await store(creator.id + 1, 'verification_pending');
      await store(creator.id + 2, 'awaiting_claim');
      pass(59 * MINUTE);
      expect(await recover()).toBe(0);
      pass(2 * MINUTE);
      expect(await recover()).toBe(2);
      expect(jobs).toEqual([
        { type: 'issue-reward', key: `issue-reward:again:${verified}`, payload: { attemptId: verified } },
        { type: 'verify-attempt', key: `verify-attempt:again:${pending}`, payload: { attemptId: pending } },
      ]);
      const relay = { nudge: async () => {} };
      await issueReward({ storage: made.storage, clock, random: systemRandom, relay })({ attemptId: verified });
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
      pass(MINUTE);
      // A verification whose process dies while it reads: nothing follows.
      platform.before = () => new Promise(() => {});
      void fetchLikersNow(deps)(challenge.id);
      await expect.poll(async () => (await likers.findFetch({ challengeId: challenge.id }))?.status).toBe('running');
      const verifying = await likers.findFetch({ challengeId: challenge.id });
      pass(9 * MINUTE);
      expect(await recover()).toBe(0);
      pass(1);
      expect(await recover()).toBe(1);
      pass(MINUTE);
      expect(await recover()).toBe(2);
      const payloads = [requested, verifying].map((fetch) => ({ challengeId: challenge.id, fetchId: fetch?.id ?? 0 }));
      expect(jobs).toEqual(
        payloads.map((payload) => ({ type: 'fetch-likers', key: `likers:${payload.fetchId}`, payload })),
      );
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

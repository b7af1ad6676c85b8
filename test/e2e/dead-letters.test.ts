/** A whole instance finds jobs that took ten processes down: what waits for them ends or comes back, and is named. */
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { NewJob } from '../../core/ports/job-queue.ts';
import {
  linkInput,
  newCampaign,
  newChallenge,
  newDelivery,
  newLikersFetch,
  newWebhook,
  storedAttempt,
} from '../contract/storage/samples.ts';
import { startInstance } from '../support/instance.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { openTestStorage } from '../support/storage.ts';

/** The default of the queue. */
const MAX_RUNS = 10;
/** Claims of a delivery that end without a try. */
const MAX_CLAIMS = 20;

it('concludes jobs that were never seen to end', async () => {
  await using made = await openTestStorage('sqlite');
  const { storage } = made;
  const { brands, campaigns, creators, webhooks, deliveries, likers, jobs } = storage;
  const past = new Date(Date.now() - 60_000);
  const brand = await brands.create({ name: 'Acme', slug: 'acme', logoUrl: null, createdAt: past });
  if (brand === null) throw new Error('A new storage has no brand of this name.');
  const { challenge } = await campaigns.create(newCampaign({ brandId: brand.id }), newChallenge());
  const { creator } = await creators.link(linkInput());
  const claimed = { state: 'verification_pending', retryCount: 1 } as const;
  const { id: attemptId } = await storedAttempt(storage, challenge.id, creator.id, claimed);
  const webhook = await webhooks.create(newWebhook(brand.id));
  const [delivery] = await deliveries.createMany([newDelivery(webhook.id, { brandId: brand.id })]);
  const fetch = await likers.createFetch(
    newLikersFetch(challenge.id, { status: 'running', requestedAt: past, startedAt: past }),
  );
  const deliveryId = delivery?.id ?? 0;
  const dead: NewJob[] = [
    { type: 'verify-attempt', key: 'verify', payload: { attemptId } },
    { type: 'fetch-likers', key: 'likers', payload: { challengeId: challenge.id, fetchId: fetch.id } },
  ];
  await jobs.enqueue(dead, past);
  for (let run = 1; run <= MAX_RUNS; run += 1) {
    const at = new Date(past.getTime() + run);
    const types = dead.map(({ type }) => type);
    expect(await jobs.claim(types, 10, at, new Date(at.getTime() + 1))).toHaveLength(dead.length);
  }
  for (let claims = 1; claims <= MAX_CLAIMS; claims += 1) {
    const at = new Date(Date.now() - 10_000 + claims);
    const limits = { total: 1, each: 1, of: new Map() };
    expect(await deliveries.claim(limits, at, new Date(at.getTime() + 1))).toHaveLength(1);
  }

  const logger = createRecordingLogger();
  // The webhook of the sample was sealed by no key.
  const config = { secrets: { key: randomBytes(32), replaced: true } };
  await using instance = await startInstance({ storageUrl: made.url, config, options: { logger } });
  const { api } = instance;
  await vi.waitFor(async () => {
    const { text } = await api.call('GET', '/metrics');
    expect(text).toMatch(/^credence_jobs\{state="dead"\} 2$/m);
  }, 10_000);
  const attempt = await api.call('GET', `/admin/challenges/${challenge.id}/attempts/${attemptId}`);
  expect(attempt.json.data).toMatchObject({ state: 'awaiting_claim', retryCount: 1 });
  await vi.waitFor(async () => {
    const log = await api.call('GET', `/admin/brands/${brand.id}/webhooks/${webhook.id}/deliveries`);
    expect(log.json.data).toMatchObject([
      {
        id: deliveryId,
        status: 'failed',
        nextTryAt: null,
        tries: [{ status: null, error: expect.stringMatching(/^Dead-lettered/) }],
      },
    ]);
  }, 10_000);
  const status = await api.call('GET', `/admin/challenges/${challenge.id}/likers/status`);
  expect(status.json.data).toMatchObject({ status: 'failed' });
  expect(await jobs.stats(new Date())).toMatchObject({ queued: 0, dead: 2 });
  const named = logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields);
  for (const fact of [{ attemptId }, { deliveryId }, { key: 'likers' }]) {
    expect(named).toContainEqual(expect.objectContaining(fact));
  }
  expect(instance.receiver.received).toEqual([]);
});

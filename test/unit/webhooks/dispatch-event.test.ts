import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dispatchEvent,
  dispatchJob,
  postponeDispatch,
  redeliverEvents,
} from '../../../core/engagement/webhooks/dispatch-event.ts';
import type { JobPayloads } from '../../../core/ports/job-queue.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { createWebhookWorld, sampleEvent, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
let logger: RecordingLogger;
beforeEach(async () => {
  world = await createWebhookWorld();
  logger = createRecordingLogger();
});
afterEach(() => world.storage.close());

const { payload } = dispatchJob('e1', sampleEvent(1));
const HOUR = 3_600_000;

describe('dispatching an event', () => {
  it('that nobody wants writes nothing', async () => {
    const deliveries = { ...world.storage.deliveries, createMany: () => Promise.reject(new Error('written')) };
    await dispatchEvent({ ...world.deps, storage: { ...world.storage, deliveries } })(payload);
    expect(world.queue.jobs).toEqual([]);
  });

  it('whose deliveries are all over queues nothing', async () => {
    const { webhook } = await world.register();
    await dispatchEvent(world.deps)(payload);
    await world.storage.deliveries.cancelPending(webhook.id, world.clock.now());
    const queue = { ...world.queue, enqueue: () => Promise.reject(new Error('queued')) };
    await dispatchEvent({ ...world.deps, queue })(payload);
  });

  it('once more reads deliveries that another dispatch stored: they may be sent meanwhile', async () => {
    await world.register();
    const { payload: due } = dispatchJob('e2', sampleEvent(world.brandId));
    await dispatchEvent(world.deps)(due);
    const [first] = world.queue.jobs.splice(0);
    expect(first).toMatchObject({ key: 'deliver:1', inHand: { id: 1 } });
    await dispatchEvent(world.deps)(due);
    expect(world.queue.jobs).toEqual([{ ...first, inHand: undefined }]);
  });

  it('again is a job of its own every time, in which brands take turns', async () => {
    const redeliver = () => redeliverEvents(world.deps)([sampleEvent(1)]);
    await redeliver();
    await redeliver();
    expect(world.queue.jobs).toMatchObject([{ group: 'brand:1' }, { group: 'brand:1' }]);
  });

  it('again that is cut short after its deliveries were stored makes no others', async () => {
    const { webhook } = await world.register();
    await redeliverEvents(world.deps)([sampleEvent(world.brandId)]);
    const [job] = world.queue.jobs.splice(0);
    for (const _run of [1, 2]) await dispatchEvent(world.deps)(job?.payload as JobPayloads['dispatch-event']);
    expect(await world.storage.deliveries.pendingOf(webhook.id, 0, 9)).toHaveLength(1);
  });

  it('again reaches paused webhooks that want it, which a new event does not', async () => {
    const { webhook: paused } = await world.register();
    const { webhook: active } = await world.register();
    const { webhook: indifferent } = await world.register();
    await world.storage.webhooks.update(world.brandId, paused.id, { active: false });
    await world.storage.webhooks.update(world.brandId, indifferent.id, { events: ['reward.issued'] });
    const pendingOf = async () =>
      Promise.all(
        [paused, active, indifferent].map(
          async ({ id }) => (await world.storage.deliveries.pendingOf(id, 0, 9)).length,
        ),
      );
    await dispatchEvent(world.deps)(dispatchJob('e2', sampleEvent(world.brandId)).payload);
    expect(await pendingOf()).toEqual([0, 1, 0]);
    world.queue.jobs.length = 0;
    await redeliverEvents(world.deps)([sampleEvent(world.brandId)]);
    const [job] = world.queue.jobs.splice(0);
    await dispatchEvent(world.deps)(job?.payload as JobPayloads['dispatch-event']);
    expect(await pendingOf()).toEqual([1, 2, 0]);
    // One for the paused one too: it may have been activated meanwhile.
    expect(world.queue.jobs.map(({ type }) => type)).toEqual(['deliver-webhook', 'deliver-webhook']);
  });

  it('again for nothing is no redelivery', async () => {
    const queue = { ...world.queue, enqueue: () => Promise.reject(new Error('queued')) };
    await redeliverEvents({ ...world.deps, queue })([]);
  });
});

describe('a dispatch that is given up', () => {
  const giveUp = () =>
    postponeDispatch({ ...world.deps, logger })(payload, { error: 'storage gone', signal: AbortSignal.abort() });
  const facts = { entryId: 'e1', event: 'creator.verified', attemptId: 3, error: 'storage gone' };

  it('and concluded a second time, because a process died, comes back once', async () => {
    await giveUp();
    world.clock.advance(1_000);
    await giveUp();
    expect(world.queue.jobs).toHaveLength(1);
  });

  it('is tried for three days, then left to an admin', async () => {
    const age = world.clock.now().getTime() - sampleEvent(1).timestamp.getTime();
    world.clock.advance(72 * HOUR - age);
    await giveUp();
    const runAt = new Date(world.clock.now().getTime() + HOUR);
    expect(world.queue.jobs).toMatchObject([{ key: expect.stringMatching(/^dispatch:e1:[0-9]+$/), runAt }]);
    expect(logger.lines).toEqual([{ level: 'error', message: expect.any(String), fields: { ...facts, runAt } }]);
    world.clock.advance(1);
    await giveUp();
    expect(world.queue.jobs).toHaveLength(1);
    expect(logger.lines.at(-1)).toEqual({
      level: 'error',
      message: expect.stringContaining('redeliver'),
      fields: facts,
    });
  });
});

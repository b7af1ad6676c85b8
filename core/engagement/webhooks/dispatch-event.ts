/** From events to one delivery for each webhook and subscriber that wants it. */
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Clock } from '../../ports/clock.ts';
import type { JobFailure, JobPayloads, JobQueue, NewJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RandomSource } from '../../ports/random-source.ts';
import type { Storage } from '../../ports/storage.ts';
import type { StoredDelivery } from '../../ports/webhook-store.ts';
import { eventBody, eventFromJson, eventToJson } from './event-body.ts';
import { redeliveryEntryId, storedMessageId } from './message-id.ts';
import type { AttemptEvent, WebhookEvent } from './outbox.ts';
import { isFor, type SubscriberDelivery } from './subscriber.ts';
import type { Delivery, Webhook } from './webhook.ts';

export interface DispatchEventDeps {
  readonly storage: Pick<Storage, 'webhooks' | 'deliveries' | 'subscribers'>;
  readonly queue: JobQueue;
  readonly clock: Clock;
  /** Called when there is something for a subscriber: this process may have it. */
  readonly wakeSubscribers?: () => void;
}

/** An event that is due, and the id of its outbox entry. */
export interface DueEvent {
  readonly entryId: string;
  readonly event: WebhookEvent;
  /** Also for webhooks that are paused, to be sent when they are activated. */
  readonly toPaused?: boolean;
}

/** Handles a `dispatch-event` job. Safe to repeat, as `dispatchEvents`. */
export function dispatchEvent(deps: DispatchEventDeps) {
  const dispatch = dispatchEvents(deps);
  return ({ entryId, event, toPaused }: JobPayloads['dispatch-event']): Promise<void> =>
    dispatch([{ entryId, event: eventFromJson(event), toPaused: toPaused === true }]);
}

/** Deliveries that are stored, and then queued, in one go: an instance with many webhooks a brand holds no more in memory. */
const DELIVERIES_AT_ONCE = 250;

/**
 * Makes the deliveries of many events, each to every webhook and subscriber that wants it, and queues their jobs. Safe to
 * repeat: the message id follows from the outbox entry, deliveries are unique by message and receiver, and finished ones do not
 * start again.
 * @throws what the storage or the queue throws; some of the events may be dispatched then
 */
export function dispatchEvents(deps: DispatchEventDeps) {
  return async (due: readonly DueEvent[]): Promise<void> => {
    const now = deps.clock.now();
    const messages = due.map((each) => ({ ...each, message: messageOf(each, now) }));
    await Promise.all([toWebhooks(deps, messages), toSubscribers(deps, messages)]);
  };
}

type Message = Omit<SubscriberDelivery, 'id' | 'subscriber'>;

interface Outgoing extends DueEvent {
  readonly message: Message;
}

/** Null for events that are about no attempt. */
function attemptIdOf({ data }: WebhookEvent): number | null {
  return 'attemptId' in data ? data.attemptId : null;
}

/** What every receiver of an event gets. */
export function messageOf({ entryId, event }: DueEvent, now: Date): Message {
  return {
    messageId: storedMessageId(entryId),
    brandId: event.brandId,
    attemptId: attemptIdOf(event),
    event: event.event,
    body: eventBody(event),
    status: 'pending',
    tries: [],
    nextTryAt: now,
    createdAt: now,
    finishedAt: null,
  };
}

async function toWebhooks(deps: DispatchEventDeps, outgoing: readonly Outgoing[]): Promise<void> {
  const receiversOf = createReceiversOf(deps);
  let next: Omit<Delivery, 'id'>[] = [];
  for (const { event, toPaused = false, message } of outgoing) {
    for (const { id, brandId } of await receiversOf(event, toPaused)) {
      next.push({ ...message, webhookId: id, brandId });
      if (next.length < DELIVERIES_AT_ONCE) continue;
      await storeDeliveries(deps)(next);
      next = [];
    }
  }
  if (next.length > 0) await storeDeliveries(deps)(next);
}

/** Finds the webhooks that want an event, and reads those of the same brand and event once. For the events of one moment. */
export function createReceiversOf({ storage: { webhooks } }: { readonly storage: Pick<Storage, 'webhooks'> }) {
  const wanted = new Map<string, Promise<readonly Webhook[]>>();

  async function read({ brandId, event }: WebhookEvent, toPaused: boolean): Promise<readonly Webhook[]> {
    if (!toPaused || brandId === null) return webhooks.subscribed(brandId, event);
    return (await webhooks.listByBrand(brandId)).filter(({ events }) => events.includes(event));
  }

  return (event: WebhookEvent, toPaused: boolean): Promise<readonly Webhook[]> => {
    const key = `${event.brandId}:${event.event}:${toPaused}`;
    const receivers = wanted.get(key) ?? read(event, toPaused);
    wanted.set(key, receivers);
    return receivers;
  };
}

export interface StoreDeliveriesDeps {
  readonly storage: Pick<Storage, 'deliveries'>;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly clock: Clock;
}

/** Stores deliveries as `DeliveryStore.createMany`, and queues a job for each that is pending. @throws what either throws */
export function storeDeliveries(deps: StoreDeliveriesDeps) {
  return async (deliveries: readonly Omit<Delivery, 'id'>[]): Promise<readonly StoredDelivery[]> => {
    const stored = await deps.storage.deliveries.createMany(deliveries);
    const now = deps.clock.now();
    const jobs = stored.filter(({ status }) => status === 'pending').map((each) => jobOfStored(each, now));
    if (jobs.length > 0) await deps.queue.enqueue(jobs);
    return stored;
  };
}

function jobOfStored({ isNew, ...delivery }: StoredDelivery, now: Date): NewJob<'deliver-webhook'> {
  const { nextTryAt } = delivery;
  if (nextTryAt !== null && nextTryAt > now) return { ...deliveryJob(delivery), runAt: nextTryAt };
  // Another process may have sent by now what it stored itself: the job reads that again.
  return deliveryJob(delivery, isNew ? delivery : undefined);
}

async function toSubscribers(deps: DispatchEventDeps, outgoing: readonly Outgoing[]): Promise<void> {
  const subscriptions = await deps.storage.subscribers.list();
  const deliveries = outgoing.flatMap(({ event, message }) => {
    const names = subscriptions.filter((one) => isFor(one, event)).map(({ subscriber }) => subscriber);
    return [...new Set(names)].map((subscriber) => ({ ...message, subscriber }));
  });
  if (deliveries.length === 0) return;
  await deps.storage.subscribers.createDeliveries(deliveries);
  deps.wakeSubscribers?.();
}

/** How long after a dispatch was dead-lettered it is tried again, and up to which age of its event. */
const NEXT_DISPATCH_MS = 60 * 60 * 1_000;
const OLDEST_DISPATCH_MS = 3 * 24 * 60 * 60 * 1_000;

/**
 * The `onDeadLetter` of a `dispatch-event` job: nothing but the job knows that its event is due. So it comes back an hour later, as
 * a new job with the same message id, for three days. After that an admin can send it again (`redeliver-webhooks`).
 */
export function postponeDispatch(deps: Pick<DispatchEventDeps, 'queue' | 'clock'> & { readonly logger: Logger }) {
  return async (payload: JobPayloads['dispatch-event'], { error }: JobFailure): Promise<void> => {
    const due = eventFromJson(payload.event);
    const { event, timestamp } = due;
    const now = deps.clock.now().getTime();
    const facts = { entryId: payload.entryId, event, attemptId: attemptIdOf(due), error };
    if (now - timestamp.getTime() > OLDEST_DISPATCH_MS) {
      deps.logger.error(facts, 'an event was not dispatched and is dead-lettered; fix the cause, then redeliver it');
      return;
    }
    const runAt = new Date(now + NEXT_DISPATCH_MS);
    // Not the key of the dead-lettered job, which is taken until it is out of the queue; the same if this has to be repeated.
    const key = `dispatch:${payload.entryId}:${Math.floor(runAt.getTime() / NEXT_DISPATCH_MS)}`;
    await deps.queue.enqueue([{ type: 'dispatch-event', key, payload, runAt }]);
    deps.logger.error({ ...facts, runAt }, 'an event could not be dispatched; it is tried again in an hour');
  };
}

/** The job that brings an outbox entry's event to the webhooks. */
export function dispatchJob(entryId: string, event: WebhookEvent): NewJob<'dispatch-event'> {
  return { type: 'dispatch-event', key: `dispatch:${entryId}`, payload: { entryId, event: eventToJson(event) } };
}

/** The job that sends one delivery, again and again until it is over; those of one webhook are a group. `inHand` was just stored. */
export function deliveryJob(
  { id, webhookId }: Pick<Delivery, 'id' | 'webhookId'>,
  inHand?: Delivery,
): NewJob<'deliver-webhook'> {
  return {
    type: 'deliver-webhook',
    key: `deliver:${id}`,
    payload: { deliveryId: id },
    group: `webhook:${webhookId}`,
    inHand,
  };
}

export interface RedeliverEventsDeps {
  readonly queue: JobQueue;
  readonly random: RandomSource;
}

/**
 * Sends events of attempts once more: the same messages with the same ids, as new deliveries. Every webhook that wants them by now
 * gets them, a paused one once it is active. The job queue has accepted them when the call returns. Brands take turns in it.
 */
export function redeliverEvents(deps: RedeliverEventsDeps) {
  return async (events: readonly AttemptEvent[]): Promise<void> => {
    if (events.length === 0) return;
    await deps.queue.enqueue(
      events.map((event) => {
        const job = dispatchJob(redeliveryEntryId(event, bytesToHex(deps.random.bytes(16))), event);
        return { ...job, group: `brand:${event.brandId}`, payload: { ...job.payload, toPaused: true as const } };
      }),
    );
  };
}

/** From events to one delivery for each webhook and subscriber that wants it. */
import type { Storage } from '../../ports/storage.ts';
import type { Needs } from '../use-case-parts.ts';
import { eventBody } from './event-body.ts';
import { storedMessageId } from './message-id.ts';
import type { WebhookEvent } from './outbox.ts';
import { isFor } from './subscriber.ts';
import type { Subscribers } from './subscribers.ts';
import type { Delivery, Webhook } from './webhook.ts';

export interface DispatchEventDeps extends Needs<'webhooks' | 'deliveries' | 'subscribers', 'clock' | 'wakeSender'> {
  /** Of this process. A subscription that was just made may not be stored yet, and its events would be lost. */
  readonly subscribers?: Pick<Subscribers, 'open'>;
}

/** An event that is due, and the id of its outbox entry. */
export interface DueEvent {
  readonly entryId: string;
  readonly event: WebhookEvent;
  /** Also for webhooks that are paused, to be sent when they are activated. */
  readonly toPaused?: boolean;
}

/** Stores the deliveries of events; see `dispatchEvents`. */
export type DispatchEvents = (due: readonly DueEvent[]) => Promise<void>;

/** Deliveries that are stored in one go, or a few more: an instance with many webhooks a brand holds no more in memory. */
const DELIVERIES_AT_ONCE = 250;

/**
 * Stores the deliveries of events, each to every webhook and subscriber that wants it. Safe to repeat: the message id follows from
 * the outbox entry, deliveries are unique by message and receiver, and those that are there stay as they are.
 * @throws what the storage throws; some of the events may be dispatched then
 */
export function dispatchEvents(deps: DispatchEventDeps): DispatchEvents {
  const { storage, clock, subscribers, wakeSender } = deps;
  return async (due) => {
    if (due.length === 0) return;
    const now = clock.now();
    const receiversOf = createReceiversOf(storage);
    // What cannot be stored is logged where deliveries are looked for.
    await subscribers?.open().catch(() => undefined);
    const subscriptions = await storage.subscribers.list();
    let next: Omit<Delivery, 'id'>[] = [];
    const store = async () => {
      if (next.length === 0) return;
      await storage.deliveries.createMany(next);
      next = [];
      wakeSender();
    };
    for (const { entryId, event, toPaused = false } of due) {
      const message = messageOf(entryId, event, now);
      const webhooks = await receiversOf(event, toPaused);
      const names = subscriptions.filter((one) => isFor(one, event)).map(({ subscriber }) => subscriber);
      next.push(
        ...webhooks.map(({ id, brandId }) => ({ ...message, target: id, brandId })),
        ...[...new Set(names)].map((target) => ({ ...message, target, brandId: event.brandId })),
      );
      if (next.length >= DELIVERIES_AT_ONCE) await store();
    }
    await store();
  };
}

/** What every receiver of an event gets. */
function messageOf(entryId: string, event: WebhookEvent, now: Date): Omit<Delivery, 'id' | 'target' | 'brandId'> {
  return {
    messageId: storedMessageId(entryId),
    attemptId: 'attemptId' in event.data ? event.data.attemptId : null,
    event: event.event,
    body: eventBody(event),
    status: 'pending',
    tries: [],
    nextTryAt: now,
    createdAt: now,
    finishedAt: null,
  };
}

/** Finds the webhooks that want an event, and reads those of the same brand and event once. For the events of one moment. */
function createReceiversOf({ webhooks }: Pick<Storage, 'webhooks'>) {
  const wanted = new Map<string, Promise<readonly Webhook[]>>();

  async function read({ brandId, event }: WebhookEvent, toPaused: boolean): Promise<readonly Webhook[]> {
    const ofBrand = brandId === null ? {} : { brandId };
    if (!toPaused || brandId === null) return webhooks.list({ ...ofBrand, subscribedTo: event });
    return (await webhooks.list(ofBrand)).filter(({ events }) => events.includes(event));
  }

  return (event: WebhookEvent, toPaused: boolean): Promise<readonly Webhook[]> => {
    const key = `${event.brandId}:${event.event}:${toPaused}`;
    const receivers = wanted.get(key) ?? read(event, toPaused);
    wanted.set(key, receivers);
    return receivers;
  };
}

/** The deliveries to handlers of the host's code, for a `DeliveryLoop`: the target is a function. */
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../ports/subscriber-store.ts';
import { MAX_UNFINISHED } from './deliver-webhook.ts';
import type { Held } from './delivery-line.ts';
import type { DeliverySource } from './delivery-loop.ts';
import { eventFromJson } from './event-body.ts';
import { sentMessageId } from './message-id.ts';
import { nextTryAt, RETRY_DELAYS_MS } from './retry-schedule.ts';
import { type SubscriberHandler, subscriberEvent } from './subscriber.ts';
import type { SubscriberHandlers } from './subscriber-handlers.ts';

export interface DeliverToSubscriberDeps {
  readonly store: Pick<SubscriberStore, 'claim' | 'extend' | 'recordTry'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits between tries in milliseconds, `RETRY_DELAYS_MS` by default; one try more than there are waits. */
  readonly retryDelays?: readonly number[];
  /** Uniform in [0, 1); spreads the waits. */
  readonly jitter?: () => number;
  /** How long a handler may take; a minute by default. */
  readonly timeoutMs?: number;
}

/** A minute, six times what a webhook's receiver has: the handler may do all of its work, not only accept it. */
const HANDLER_TIMEOUT_MS = 60_000;

const MAX_ERROR_TEXT = 300;

/** What a handler threw; null if it succeeded. */
type Failure = { readonly error: unknown } | null;

/** @param open stores new subscriptions: nothing of theirs is due before */
export function subscriberDeliveries(
  deps: DeliverToSubscriberDeps,
  handlers: Pick<SubscriberHandlers, 'wanted' | 'find'>,
  open: () => Promise<void>,
): DeliverySource<string, ClaimedDelivery> {
  const { store, clock } = deps;
  return {
    targetOf: ({ subscriber }) => subscriber,
    async claim({ total, each, of }, now, leaseUntil) {
      await open();
      const claimed: ClaimedDelivery[] = [];
      for (const wanted of handlers.wanted()) {
        const room = Math.min(of.get(wanted.subscriber) ?? each, total - claimed.length);
        if (room > 0) claimed.push(...(await store.claim(wanted, room, now, leaseUntil)));
      }
      return claimed;
    },
    extend: (held, leaseUntil) => store.extend(held, leaseUntil),
    async send(held) {
      const { subscriber, event } = held.delivery;
      const handler = handlers.find(subscriber, event);
      // Forgotten since it was claimed: its delivery is cancelled.
      if (handler === undefined) return async () => null;
      const [begun, at] = [monotonicMs(clock), clock.now()];
      const failure = await call(deps, held, handler);
      // That says nothing about the handler.
      if (failure !== null && held.signal.aborted) throw held.signal.reason;
      const durationMs = Math.round(monotonicMs(clock) - begun);
      return () => conclude(deps, held, { at, durationMs }, failure);
    },
  };
}

async function call(
  { timeoutMs = HANDLER_TIMEOUT_MS }: DeliverToSubscriberDeps,
  { delivery, signal }: Held<ClaimedDelivery>,
  handler: SubscriberHandler,
): Promise<Failure> {
  const { brandId, messageId, tries, lease, body } = delivery;
  if (lease - 2 * tries.length > MAX_UNFINISHED) {
    return { error: new Error('The process ended again and again before the handler did.') };
  }
  const tooLong = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`The handler did not finish within ${timeoutMs / 1_000} s.`);
      error.name = 'HandlerTimeout';
      tooLong.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    const event = eventFromJson({ ...(JSON.parse(body) as object), brandId });
    const context = { signal: AbortSignal.any([signal, tooLong.signal]) };
    const work = async () => await handler(subscriberEvent(event, messageId, tries.length + 1), context);
    await Promise.race([work(), late]);
    return null;
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves to the time of the next try. */
async function conclude(
  deps: DeliverToSubscriberDeps,
  { delivery, lost }: Held<ClaimedDelivery>,
  ran: { readonly at: Date; readonly durationMs: number },
  failure: Failure,
): Promise<Date | null> {
  if (lost) return null;
  const now = deps.clock.now();
  const retryAt = failure === null ? null : retryOf(deps, delivery, now);
  const status = failure === null ? 'succeeded' : retryAt === null ? 'failed' : 'pending';
  const recorded = await deps.store.recordTry(
    delivery,
    { ...ran, status: null, error: failure === null ? null : errorText(failure.error) },
    { status, nextTryAt: retryAt, finishedAt: status === 'pending' ? null : now },
  );
  const { id: deliveryId, subscriber, event, messageId, attemptId } = delivery;
  const facts = { deliveryId, subscriber, event, messageId: sentMessageId(messageId), attemptId, status };
  if (!recorded) deps.logger.warn(facts, 'a subscriber handled an event after its lease was lost');
  else if (failure === null) deps.logger.debug(facts, 'a subscriber handled an event');
  else if (retryAt === null) deps.logger.error({ ...facts, err: failure.error }, 'an event failed for a subscriber');
  else deps.logger.warn({ ...facts, err: failure.error, retryAt }, 'a subscriber failed; it gets the event again');
  return recorded ? retryAt : null;
}

function retryOf(deps: DeliverToSubscriberDeps, { tries }: ClaimedDelivery, now: Date): Date | null {
  return nextTryAt({
    tries: tries.length + 1,
    now,
    retryAfter: null,
    delays: deps.retryDelays ?? RETRY_DELAYS_MS,
    random: deps.jitter ?? Math.random,
  });
}

function errorText(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : 'The handler threw something that is no error.';
  return text.toWellFormed().slice(0, MAX_ERROR_TEXT);
}

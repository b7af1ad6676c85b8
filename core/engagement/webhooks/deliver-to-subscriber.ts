/** One delivery of an event to a handler of the host's code, and what follows from its outcome. */
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../ports/subscriber-store.ts';
import { eventFromJson } from './event-body.ts';
import { sentMessageId } from './message-id.ts';
import { nextTryAt, RETRY_DELAYS_MS } from './retry-schedule.ts';
import { type SubscriberHandler, subscriberEvent } from './subscriber.ts';
import type { DeliveryTry } from './webhook.ts';

export interface DeliverToSubscriberDeps {
  readonly store: Pick<SubscriberStore, 'recordTry' | 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits between tries in milliseconds, `RETRY_DELAYS_MS` by default; one try more than there are waits. */
  readonly retryDelays?: readonly number[];
  /** Uniform in [0, 1); spreads the waits. */
  readonly jitter?: () => number;
  /** How long a handler may take; a minute by default. */
  readonly timeoutMs?: number;
}

/** A claimed delivery while its handler runs. */
export interface RunningDelivery {
  readonly claimed: ClaimedDelivery;
  readonly controller: AbortController;
  leaseUntil: Date;
  /** What becomes of the delivery is no longer ours to say. */
  lost: boolean;
}

/** A minute, six times what a webhook's receiver has: the handler may do all of its work, not only accept it. */
const HANDLER_TIMEOUT_MS = 60_000;

/** Claims that ended without a try. More mean that the event takes its process down. */
const MAX_UNFINISHED = 20;

const MAX_ERROR_TEXT = 300;

class HandlerTimeout extends Error {
  override readonly name = 'HandlerTimeout';
}

/**
 * Calls the handler once and records the try, unless the lease was lost. An aborted handler that throws gives the delivery
 * back without a try. @throws what the storage throws; the lease then runs out, and the delivery is repeated
 */
export function deliverToSubscriber(deps: DeliverToSubscriberDeps) {
  return async (run: RunningDelivery, handler: SubscriberHandler): Promise<void> => {
    const { claimed, controller } = run;
    const begun = monotonicMs(deps.clock);
    const at = deps.clock.now();
    const failure = await call(deps, run, handler);
    if (run.lost) return;
    const isStopped = controller.signal.aborted && !(controller.signal.reason instanceof HandlerTimeout);
    if (failure !== null && isStopped) {
      await deps.store.release(claimed, deps.clock.now());
      return;
    }
    await conclude(deps, claimed, { at, durationMs: Math.round(monotonicMs(deps.clock) - begun) }, failure);
  };
}

/** Null if the handler succeeded, else what it threw. */
async function call(
  deps: DeliverToSubscriberDeps,
  { claimed, controller }: RunningDelivery,
  handler: SubscriberHandler,
): Promise<{ readonly error: unknown } | null> {
  const { brandId, messageId, tries, lease, body } = claimed;
  if (lease - 2 * tries.length > MAX_UNFINISHED) {
    return { error: new Error('The process ended again and again before the handler did.') };
  }
  try {
    const event = eventFromJson({ ...(JSON.parse(body) as object), brandId });
    const work = async () =>
      await handler(subscriberEvent(event, messageId, tries.length + 1), { signal: controller.signal });
    await withinTime(work, deps.timeoutMs ?? HANDLER_TIMEOUT_MS, controller);
    return null;
  } catch (error) {
    return { error };
  }
}

async function withinTime(work: () => Promise<unknown>, timeoutMs: number, controller: AbortController): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new HandlerTimeout(`The handler did not finish within ${timeoutMs / 1000} s.`);
      controller.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function conclude(
  deps: DeliverToSubscriberDeps,
  claimed: ClaimedDelivery,
  ran: Pick<DeliveryTry, 'at' | 'durationMs'>,
  failure: { readonly error: unknown } | null,
): Promise<void> {
  const now = deps.clock.now();
  const retryAt = failure === null ? null : retryOf(deps, claimed, now);
  const status = failure === null ? 'succeeded' : retryAt === null ? 'failed' : 'pending';
  const recorded = await deps.store.recordTry(
    claimed,
    {
      ...ran,
      status: null,
      error: failure === null ? null : errorText(failure.error),
    },
    { status, nextTryAt: retryAt, finishedAt: status === 'pending' ? null : now },
  );
  const { id: deliveryId, subscriber, event, messageId, attemptId } = claimed;
  const facts = { deliveryId, subscriber, event, messageId: sentMessageId(messageId), attemptId, status };
  if (!recorded) deps.logger.warn(facts, 'a subscriber handled an event after its lease was lost');
  else if (failure === null) deps.logger.debug(facts, 'a subscriber handled an event');
  else if (retryAt === null) deps.logger.error({ ...facts, err: failure.error }, 'an event failed for a subscriber');
  else deps.logger.warn({ ...facts, err: failure.error, retryAt }, 'a subscriber failed; it gets the event again');
}

function retryOf(deps: DeliverToSubscriberDeps, claimed: ClaimedDelivery, now: Date): Date | null {
  return nextTryAt({
    tries: claimed.tries.length + 1,
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

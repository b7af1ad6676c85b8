/** One try of a delivery, to a webhook or a subscriber, and what is stored of it (docs/specification/engagement.md#delivery-rules). */
import { keepNewest } from '../../keep-newest.ts';
import { monotonicMs } from '../../ports/clock.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';
import { printable } from '../../printable.ts';
import { ERASED_BODY } from '../creators/erased.ts';
import type { Needs } from '../use-case-parts.ts';
import { callSubscriber, HANDLER_TIMEOUT_MS } from './call-subscriber.ts';
import { withhold } from './manage-webhooks.ts';
import { sentMessageId, TEST_MESSAGE } from './message-id.ts';
import { nextTryAt, RETRY_DELAYS_MS } from './retry-schedule.ts';
import { type SendWebhookDeps, webhookSender } from './send-webhook.ts';
import type { Subscribers } from './subscribers.ts';
import { type Delivery, type DeliveryTry, isWithheld, type Webhook } from './webhook.ts';

/** Claims that ended without a try. More mean that the delivery takes its process down. */
const MAX_UNFINISHED = 20;

/** `lastTriggeredAt` and `lastFailure` of a webhook are as exact as this. */
const MARK_EVERY_MS = 1_000;
const MOST_KNOWN = 10_000;
/** A webhook that is paused, deleted or changed may get for so long what was claimed for it before. */
const READ_EVERY_MS = 100;

const MAX_ERROR_TEXT = 300;
const MAX_RESPONSE_TEXT = 1_024;

export interface DeliverDeps extends SendWebhookDeps, Needs<'webhooks' | 'deliveries', 'clock'> {
  readonly subscribers: Pick<Subscribers, 'find'>;
  /** Waits between tries in milliseconds, `RETRY_DELAYS_MS` by default; one try more than there are waits. */
  readonly retryDelays?: readonly number[];
  /** Uniform in [0, 1); spreads the waits. */
  readonly jitter?: () => number;
  /** How long a handler may take; a minute by default. */
  readonly handlerTimeoutMs?: number;
}

/** A delivery in the hands of this process. */
export interface Held {
  readonly delivery: LeasedDelivery;
  /** Aborted when its lease is lost, or the process stops. */
  readonly signal: AbortSignal;
}

/**
 * Makes one try. Returns what stores the outcome; that resolves to the time of the next try, if there is one.
 * @throws the reason of the signal that cut the try short: that says nothing about the receiver, and the try does not count
 */
export type Deliver = (held: Held) => Promise<() => Promise<Date | null>>;

/** What a receiver or a handler answered. */
interface Answer {
  readonly status: number | null;
  /** Null if it succeeded. */
  readonly error: string | null;
  readonly retryAfter: string | null;
  readonly response?: string;
  /** What a handler threw. */
  readonly thrown?: unknown;
}

interface EndedTry {
  readonly answer: Answer;
  readonly record: DeliveryTry;
  readonly state: Pick<Delivery, 'status' | 'nextTryAt' | 'finishedAt'>;
}

/**
 * Delivers with one try for each call, which is recorded. A delivery that is repeated after a crash is the same message again, with the
 * same `webhook-id`. No try is recorded for a delivery that is over.
 */
export function deliverer(deps: DeliverDeps): Deliver {
  const each = new Deliverer(deps);
  return (held) => each.deliver(held);
}

class Deliverer {
  readonly #deps: DeliverDeps;
  /** The time of the last mark of each webhook, and of its failures, of `monotonicMs`. */
  readonly #marked = new Map<string, number>();
  readonly #read = new Map<number, { readonly at: number; readonly webhook: Promise<Webhook | null> }>();
  readonly #send: ReturnType<typeof webhookSender>;

  constructor(deps: DeliverDeps) {
    this.#deps = deps;
    this.#send = webhookSender(deps);
  }

  async deliver(held: Held): ReturnType<Deliver> {
    const { target, lease, tries } = held.delivery;
    if (lease - tries.length > MAX_UNFINISHED) return () => this.#giveUp(held.delivery);
    return typeof target === 'number' ? this.#toWebhook(held, target) : this.#toSubscriber(held, target);
  }

  /** A busy webhook is read once for the tries of a moment: a slot that waits for the storage sends nothing. */
  #webhook(id: number): Promise<Webhook | null> {
    const now = monotonicMs(this.#deps.clock);
    const known = this.#read.get(id);
    if (known !== undefined && now - known.at < READ_EVERY_MS) return known.webhook;
    const webhook = this.#deps.storage.webhooks.find(id);
    keepNewest(this.#read, id, { at: now, webhook }, MOST_KNOWN);
    webhook.catch(() => this.#read.delete(id));
    return webhook;
  }

  /** A busy webhook is written once a second for many tries. */
  async #markTriggered(webhookId: number, { at, status, error }: DeliveryTry): Promise<void> {
    const now = monotonicMs(this.#deps.clock);
    const mark = error === null ? `${webhookId}` : `${webhookId} failed`;
    if (now - (this.#marked.get(mark) ?? Number.NEGATIVE_INFINITY) < MARK_EVERY_MS) return;
    if (this.#marked.size >= MOST_KNOWN) this.#marked.clear();
    this.#marked.set(mark, now);
    await this.#deps.storage.webhooks.markTriggered(webhookId, at, error === null ? null : { at, status, error });
  }

  async #tried(delivery: LeasedDelivery, work: (at: Date) => Promise<Answer>): Promise<EndedTry> {
    const { clock } = this.#deps;
    const [at, begun] = [clock.now(), monotonicMs(clock)];
    const answer = await work(at);
    const durationMs = Math.round(monotonicMs(clock) - begun);
    const now = clock.now();
    const retryAt = answer.error === null ? null : retryTime(this.#deps, delivery, answer, now);
    const status = answer.error === null ? 'succeeded' : retryAt === null ? 'failed' : 'pending';
    const { error, response } = answer;
    return {
      answer,
      record: { at, durationMs, status: answer.status, error, ...(response && { response }) },
      state: { status, nextTryAt: retryAt, finishedAt: retryAt === null ? now : null },
    };
  }

  async #record({ id }: Delivery, { record, state }: EndedTry): Promise<Date | null> {
    const { storage, logger } = this.#deps;
    const recorded = await storage.deliveries.recordTry(id, record, state);
    if (!recorded) logger.warn({ deliveryId: id }, 'a delivery ended after its lease was lost');
    return recorded ? state.nextTryAt : null;
  }

  async #toWebhook({ delivery, signal }: Held, webhookId: number) {
    const { storage, clock, logger } = this.#deps;
    const { webhooks, deliveries } = storage;
    const webhook = await this.#webhook(webhookId);
    const now = clock.now();
    if (webhook === null) return () => deliveries.cancelPending(webhookId, now).then(() => null);
    if (isWithheld(webhook, delivery) || delivery.body === ERASED_BODY)
      return () => withhold(storage, delivery, now).then(() => null);
    // Paused since it was claimed: it stays pending until the webhook is activated.
    if (!webhook.active) return () => deliveries.extend([delivery], now).then(() => null);
    const ended = await this.#tried(delivery, async (at): Promise<Answer> => {
      const outcome = await this.#send(delivery, webhook, at, signal);
      if (outcome.kind === 'failed') {
        if (signal.aborted) throw signal.reason;
        return { status: null, error: outcome.message.slice(0, MAX_ERROR_TEXT), retryAfter: null };
      }
      const { status, retryAfter, body = '' } = outcome;
      const error = status >= 200 && status <= 299 ? null : `The receiver answered ${status}.`;
      return { status, error, retryAfter, response: printable(body).slice(0, MAX_RESPONSE_TEXT).toWellFormed() };
    });
    return async () => {
      // Side by side: a storage that writes what comes together in one go writes both at once.
      const [retryAt] = await Promise.all([
        this.#record(delivery, ended),
        this.#markTriggered(webhookId, ended.record),
      ]);
      const { status } = ended.state;
      const facts = { deliveryId: delivery.id, webhookId, event: delivery.event, status };
      logger.debug(facts, 'webhook try');
      if (isGone(ended.answer)) {
        // The receiver says that it is gone for good: nothing more is sent until somebody activates the webhook again. A webhook
        // that has a new receiver meanwhile, or was activated again, continues, with this delivery at once.
        const { id, url, activations } = webhook;
        const paused = await webhooks.update({ id, url, activations }, { active: false });
        this.#read.delete(id);
        if (paused !== null) logger.warn(facts, 'webhook paused: the receiver answered 410');
      } else if (status === 'failed') logger.warn(facts, 'webhook delivery failed permanently');
      return retryAt;
    };
  }

  async #toSubscriber({ delivery, signal }: Held, subscriber: string) {
    const { subscribers, logger, handlerTimeoutMs = HANDLER_TIMEOUT_MS } = this.#deps;
    const handler = subscribers.find(subscriber, delivery.event);
    // Forgotten since it was claimed: its delivery is cancelled.
    if (handler === undefined) return async () => null;
    const ended = await this.#tried(delivery, async (): Promise<Answer> => {
      try {
        await callSubscriber(handler, delivery, signal, handlerTimeoutMs);
        return { status: null, error: null, retryAfter: null };
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        return { status: null, error: errorText(thrown), retryAfter: null, thrown };
      }
    });
    return async () => {
      const retryAt = await this.#record(delivery, ended);
      const { id: deliveryId, event, attemptId } = delivery;
      const { status } = ended.state;
      const messageId = sentMessageId(delivery.messageId);
      const facts = { deliveryId, subscriber, event, messageId, attemptId, status, err: ended.answer.thrown };
      if (status === 'succeeded') logger.debug(facts, 'a subscriber handled an event');
      else if (status === 'failed') logger.error(facts, 'an event failed for a subscriber');
      else logger.warn({ ...facts, retryAt }, 'a subscriber failed; it gets the event again');
      return retryAt;
    };
  }

  /** Its claims were not seen to end, so that it would be claimed forever. */
  async #giveUp({ id, target, attemptId, event }: LeasedDelivery): Promise<null> {
    const { storage, clock, logger } = this.#deps;
    const now = clock.now();
    const error = 'Dead-lettered: delivering broke down again and again; see the log.';
    const failed = { status: 'failed', nextTryAt: null, finishedAt: now } as const;
    await storage.deliveries.recordTry(id, { at: now, durationMs: 0, status: null, error }, failed);
    logger.error({ deliveryId: id, target, attemptId, event }, 'delivery dead-lettered');
    return null;
  }
}

function retryTime(
  { retryDelays = RETRY_DELAYS_MS, jitter = Math.random }: DeliverDeps,
  { messageId, tries, replayedAt = new Date(0) }: LeasedDelivery,
  answer: Answer,
  now: Date,
): Date | null {
  // A user who presses "test" wants to see the outcome now.
  if (messageId.startsWith(TEST_MESSAGE)) return null;
  // Due as soon as the webhook is activated, however often it was tried.
  if (isGone(answer)) return now;
  const { retryAfter } = answer;
  const made = tries.filter(({ at }) => at >= replayedAt).length;
  return nextTryAt({ tries: made + 1, now, retryAfter, delays: retryDelays, random: jitter });
}

function isGone({ status }: Answer): boolean {
  return status === 410;
}

function errorText(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : 'The handler threw something that is no error.';
  return text.toWellFormed().slice(0, MAX_ERROR_TEXT);
}

/** The subscribers of this process: who handles which events. Those of other processes are left to those. */
import { DomainError } from '../../errors.ts';
import type { Needs } from '../use-case-parts.ts';
import { EVENT_NAMES, type EventName } from './outbox.ts';
import { type EventPattern, eventsOf, type SubscriberHandler, type Subscription, wants } from './subscriber.ts';

export type SubscribersDeps = Needs<'subscribers' | 'deliveries', 'clock' | 'logger'>;

/** Who subscribes. */
export interface SubscriberOptions {
  /** Names the subscriber in the storage: each event goes to one of the processes that register this name. */
  readonly name: string;
  /** Only events of this brand; of all brands by default. A name keeps its brand until `off`. */
  readonly brandId?: number;
}

/** What a subscriber may be called: it is stored, logged and part of a path. */
export const SUBSCRIBER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$/;

/** How long a delivery may wait for a process before somebody is told. */
const NEGLECTED_AFTER_MS = 10_000;

interface Subscriber {
  readonly brandId: number | undefined;
  readonly handlers: Map<EventPattern, SubscriberHandler>;
}

export class Subscribers {
  readonly #deps: SubscribersDeps;
  readonly #byName = new Map<string, Subscriber>();
  /** Names whose subscriptions are stored. */
  readonly #stored = new Set<string>();
  #unstored: readonly Subscription[] = [];
  #opening: Promise<void> = Promise.resolve();
  /** Subscribers and events that were reported as neglected. */
  #reported: ReadonlySet<string> = new Set();

  constructor(deps: SubscribersDeps) {
    this.#deps = deps;
  }

  /**
   * Registers a handler of this process; `open` or the next look for deliveries stores it.
   * @throws DomainError `INVALID_REQUEST` for an unknown event, a name that cannot be stored or no function; `CONFLICT` if the
   * subscriber has a handler for one of these events already, or one for another brand
   */
  on<E extends EventPattern>(event: E, handler: SubscriberHandler<E>, options: SubscriberOptions): void {
    // From JavaScript the options may be forgotten.
    const { name, brandId } = options ?? {};
    check(event, handler, name, brandId);
    const own = this.#byName.get(name) ?? { brandId, handlers: new Map() };
    if (own.brandId !== brandId) throw otherBrand(name);
    const taken = [...own.handlers.keys()].find((other) => eventsOf(event).some((one) => wants(other, one)));
    if (taken !== undefined) {
      throw new DomainError(
        'CONFLICT',
        `The subscriber "${name}" has a handler for "${taken}" already. Use another name for a second handler.`,
      );
    }
    // Sound because it is called with the events of its pattern only.
    own.handlers.set(event, handler as SubscriberHandler);
    this.#byName.set(name, own);
    this.#unstored = [...this.#unstored, { subscriber: name, event, ...(brandId === undefined ? {} : { brandId }) }];
  }

  /** Forgets a subscriber for good, and cancels what waits for it. @throws what the storage throws */
  async off(name: string): Promise<void> {
    this.#byName.delete(name);
    this.#unstored = this.#unstored.filter(({ subscriber }) => subscriber !== name);
    // It may be storing the subscription.
    await this.#opening.catch(() => undefined);
    this.#stored.delete(name);
    const { storage, clock } = this.#deps;
    // In this order: nothing can follow what is cancelled.
    await storage.subscribers.unsubscribe(name);
    await storage.deliveries.cancelPending(name, clock.now());
  }

  /** Stores the subscriptions made so far. @throws DomainError `CONFLICT` for a name stored for another brand, and what the storage throws */
  open(): Promise<void> {
    this.#opening = this.#opening.catch(() => undefined).then(() => this.#store());
    return this.#opening;
  }

  async #store(): Promise<void> {
    const given = this.#unstored;
    if (given.length === 0) return;
    const { subscribers } = this.#deps.storage;
    await subscribers.subscribe(given);
    const conflicts = (await subscribers.list()).filter(({ subscriber, brandId }) => {
      const own = this.#byName.get(subscriber);
      return own !== undefined && own.brandId !== brandId;
    });
    const refused = new Set(conflicts.map(({ subscriber }) => subscriber));
    for (const { subscriber } of given) if (!refused.has(subscriber)) this.#stored.add(subscriber);
    this.#unstored = this.#unstored.filter((one) => !given.includes(one) || refused.has(one.subscriber));
    for (const subscriber of refused) throw otherBrand(subscriber);
  }

  /** The subscribers that have handlers in this process. */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The events that this process handles, by subscriber, of those whose subscriptions are stored. Stores new ones before. */
  async handled(): Promise<ReadonlyMap<string, readonly EventName[]>> {
    await this.open().catch((err: unknown) => {
      this.#deps.logger.warn({ err }, 'a subscription is not stored; it is tried again');
    });
    const stored = [...this.#byName].filter(([name]) => this.#stored.has(name));
    return new Map(stored.map(([name, { handlers }]) => [name, [...handlers.keys()].flatMap(eventsOf)]));
  }

  /** The handler of this process for an event. */
  find(subscriber: string, event: string): SubscriberHandler | undefined {
    const handlers = this.#byName.get(subscriber)?.handlers;
    return handlers?.get(event as EventName) ?? handlers?.get('*');
  }

  /** Warns of events that no process takes, once. */
  async reportNeglected(): Promise<void> {
    const neglected: Subscription[] = [];
    for (const one of await this.#deps.storage.subscribers.list()) {
      for (const event of eventsOf(one.event)) {
        if (await this.#isNeglected(one.subscriber, event)) neglected.push({ subscriber: one.subscriber, event });
      }
    }
    const nameOf = ({ subscriber, event }: Subscription) => `${subscriber} ${event}`;
    const unreported = neglected.filter((one) => !this.#reported.has(nameOf(one)));
    this.#reported = new Set(neglected.map(nameOf));
    for (const [subscriber, own] of Map.groupBy(unreported, (one) => one.subscriber)) {
      this.#deps.logger.warn(
        { subscriber, events: own.map(({ event }) => event) },
        'no process takes these events of a subscriber; register a handler with `on`, or forget the subscriber with `off`',
      );
    }
  }

  /** Whether the oldest delivery of an event that this process does not handle waits for longer than a claim lets it wait. */
  async #isNeglected(subscriber: string, event: EventName): Promise<boolean> {
    if (this.find(subscriber, event) !== undefined) return false;
    const { storage, clock } = this.#deps;
    const pendingAt = (page: number) =>
      storage.deliveries.list(subscriber, { page, limit: 1 }, { status: 'pending', event });
    const { total } = await pendingAt(1);
    const oldest = total === 0 ? undefined : (await pendingAt(total)).items[0];
    const dueAt = oldest?.nextTryAt?.getTime();
    return dueAt !== undefined && dueAt < clock.now().getTime() - NEGLECTED_AFTER_MS;
  }
}

/** @throws DomainError `INVALID_REQUEST` */
function check(event: EventPattern, handler: unknown, name: unknown, brandId: number | undefined): void {
  if (event !== '*' && !EVENT_NAMES.includes(event)) {
    throw new DomainError('INVALID_REQUEST', `There is no event "${event}". Use ${EVENT_NAMES.join(', ')} or *.`);
  }
  if (typeof handler !== 'function') throw new DomainError('INVALID_REQUEST', 'The handler must be a function.');
  if (typeof name !== 'string' || !SUBSCRIBER_NAME.test(name)) {
    throw new DomainError(
      'INVALID_REQUEST',
      'The option `name` must have 1 to 100 letters, digits, dots, dashes and underscores, and begin with a letter or digit.',
    );
  }
  if (brandId !== undefined && !(Number.isSafeInteger(brandId) && brandId > 0)) {
    throw new DomainError('INVALID_REQUEST', 'The option `brandId` must be the id of a brand.');
  }
}

/** A subscriber keeps its brand, so that what waits for it is never another brand's. */
function otherBrand(subscriber: string): DomainError {
  return new DomainError(
    'CONFLICT',
    `The subscriber "${subscriber}" is registered for another brand, or for all. Use another name, or forget this one with \`off\`.`,
  );
}

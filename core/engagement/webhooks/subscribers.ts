/** The subscribers of this process: who subscribes, and the loop that delivers to them. Those of other processes are left to those. */
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../ports/subscriber-store.ts';
import { type DeliverToSubscriberDeps, subscriberDeliveries } from './deliver-to-subscriber.ts';
import { DeliveryLoop } from './delivery-loop.ts';
import type { EventPattern, SubscriberHandler, Subscription } from './subscriber.ts';
import { createSubscriberHandlers, otherBrand } from './subscriber-handlers.ts';

export interface SubscribersDeps extends Omit<DeliverToSubscriberDeps, 'store'> {
  readonly store: SubscriberStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A delivery whose process died is taken up again after this long. */
  readonly leaseMs: number;
  /** How often deliveries of other processes are looked for; 1,000 by default. */
  readonly pollMs?: number;
  /** How often events that no process takes are looked for; 15,000 by default. */
  readonly watchMs?: number;
}

/** Who subscribes. */
export interface SubscriberOptions {
  /** Names the subscriber in the storage: each event goes to one of the processes that register this name. */
  readonly name: string;
  /** Only events of this brand; of all brands by default. A name keeps its brand until `off`. */
  readonly brandId?: number;
}

/** How long a delivery may wait for a process before somebody is told. */
const NEGLECTED_AFTER_MS = 10_000;

export class Subscribers {
  readonly #deps: SubscribersDeps;
  readonly #handlers = createSubscriberHandlers();
  readonly #loop: DeliveryLoop<string, ClaimedDelivery>;
  /** Subscribers and events that were reported as neglected. */
  readonly #reported = new Set<string>();
  #unstored: readonly Subscription[] = [];
  #isStopped = false;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(deps: SubscribersDeps) {
    this.#deps = deps;
    const source = subscriberDeliveries(deps, this.#handlers, () => this.open());
    this.#loop = new DeliveryLoop(source, deps);
  }

  /** Registers a handler of this process; `open` or the next look stores it. @throws DomainError as `SubscriberHandlers.add` */
  on<E extends EventPattern>(event: E, handler: SubscriberHandler<E>, options: SubscriberOptions): void {
    // From JavaScript the options may be forgotten.
    const { name, brandId } = options ?? {};
    if (this.#isStopped) throw new Error('This instance has been stopped: make a new one with createCredence.');
    this.#handlers.add(event, handler, name, brandId);
    this.#unstored = [...this.#unstored, { subscriber: name, event, ...(brandId === undefined ? {} : { brandId }) }];
    this.wake();
  }

  /** Forgets a subscriber for good, and cancels what waits for it. @throws what the storage throws */
  async off(name: string): Promise<void> {
    this.#handlers.remove(name);
    this.#unstored = this.#unstored.filter(({ subscriber }) => subscriber !== name);
    // It may be storing the subscription.
    await this.#loop.looked();
    await this.#deps.store.unsubscribe(name, this.#deps.clock.now());
  }

  /** Stores the subscriptions made so far. @throws DomainError `CONFLICT` for a name stored for another brand, and what the storage throws */
  async open(): Promise<void> {
    const given = this.#unstored;
    if (given.length === 0) return;
    await this.#deps.store.subscribe(given);
    for (const { subscriber, brandId } of await this.#deps.store.list()) {
      if (this.#handlers.has(subscriber) && this.#handlers.brandOf(subscriber) !== brandId)
        throw otherBrand(subscriber);
    }
    this.#unstored = this.#unstored.filter((one) => !given.includes(one));
  }

  /** The subscribers that have handlers in this process. */
  names(): readonly string[] {
    return this.#handlers.wanted().map(({ subscriber }) => subscriber);
  }

  /** Starts delivering. */
  start(): void {
    this.#loop.start();
    this.#watch ??= setInterval(() => void this.#reportNeglected(), this.#deps.watchMs ?? 15_000);
  }

  /** Looks for deliveries at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Claims nothing new, waits for handlers at most `graceMs`, then aborts them and gives their leases back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#watch);
    await this.#loop.stop(graceMs);
  }

  async #reportNeglected(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      const before = new Date(clock.now().getTime() - NEGLECTED_AFTER_MS);
      const neglected = (await store.neglected(before)).filter(
        ({ subscriber, event }) => this.#handlers.find(subscriber, event) === undefined,
      );
      const nameOf = ({ subscriber, event }: (typeof neglected)[number]) => `${subscriber} ${event}`;
      const unreported = neglected.filter((one) => !this.#reported.has(nameOf(one)));
      this.#reported.clear();
      for (const one of neglected) this.#reported.add(nameOf(one));
      for (const [subscriber, own] of Map.groupBy(unreported, (one) => one.subscriber)) {
        logger.warn(
          { subscriber, events: own.map(({ event }) => event) },
          'no process takes these events of a subscriber; register a handler with `on`, or forget the subscriber with `off`',
        );
      }
    } catch (err) {
      logger.warn({ err }, 'events that wait for a subscriber could not be looked for');
    }
  }
}

/**
 * Delivers events to handlers in the host's own process. Every process claims deliveries of the subscribers that it has, under
 * a lease; those of others stay where they are.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SubscriberStore } from '../../ports/subscriber-store.ts';
import { type DeliverToSubscriberDeps, deliverToSubscriber, type RunningDelivery } from './deliver-to-subscriber.ts';
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

/** The subscribers of this process. */
export interface Subscribers {
  /** Registers a handler of this process; `open` or the next look stores it. @throws DomainError as `SubscriberHandlers.add` */
  on<E extends EventPattern>(event: E, handler: SubscriberHandler<E>, options: SubscriberOptions): void;
  /** Forgets a subscriber for good, and cancels what waits for it. @throws what the storage throws */
  off(name: string): Promise<void>;
  /** Stores the subscriptions made so far. @throws DomainError `CONFLICT` for a name stored for another brand, and what the storage throws */
  open(): Promise<void>;
  /** The subscribers that have handlers in this process. */
  names(): readonly string[];
  /** Starts delivering. */
  start(): void;
  /** Looks for deliveries at once. */
  wake(): void;
  /** Claims nothing new, waits for handlers at most `graceMs`, then aborts them and gives their leases back. */
  stop(graceMs: number): Promise<void>;
}

/** Events that one subscriber handles at a time in one process. */
const CONCURRENCY = 8;

/** How long a delivery may wait for a process before somebody is told. */
const NEGLECTED_AFTER_MS = 10_000;

/** How long aborted handlers may take to end before their deliveries are given back regardless. */
const ABORT_GRACE_MS = 1_000;

const nameOf = ({ subscriber, event }: { readonly subscriber: string; readonly event: string }) =>
  `${subscriber} ${event}`;

export function createSubscribers(deps: SubscribersDeps): Subscribers {
  const { store, clock, logger, leaseMs, pollMs = 1_000, watchMs = 15_000 } = deps;
  const deliver = deliverToSubscriber(deps);
  const handlers = createSubscriberHandlers();
  const running = new Map<RunningDelivery, Promise<void>>();
  /** Subscribers with more to claim than they had room for. */
  const backlogged = new Set<string>();
  /** By `nameOf`. */
  const reported = new Set<string>();
  const timers: ReturnType<typeof setInterval>[] = [];
  let unstored: readonly Subscription[] = [];
  let state: 'idle' | 'working' | 'stopped' = 'idle';
  let looking: Promise<void> | undefined;
  let isWoken = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open(): Promise<void> {
    const given = unstored;
    if (given.length === 0) return;
    await store.subscribe(given);
    await checkBrands();
    unstored = unstored.filter((one) => !given.includes(one));
  }

  async function checkBrands(): Promise<void> {
    for (const { subscriber, brandId } of await store.list()) {
      if (handlers.has(subscriber) && handlers.brandOf(subscriber) !== brandId) throw otherBrand(subscriber);
    }
  }

  async function look(): Promise<void> {
    await open();
    for (const wanted of handlers.wanted()) await claimFor(wanted);
  }

  async function claimFor(wanted: ReturnType<typeof handlers.wanted>[number]): Promise<void> {
    const { subscriber } = wanted;
    const busy = [...running.keys()].filter(({ claimed }) => claimed.subscriber === subscriber).length;
    const free = CONCURRENCY - busy;
    backlogged.add(subscriber);
    if (free <= 0 || state !== 'working') return;
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + leaseMs);
    const found = await store.claim(wanted, free, now, leaseUntil);
    if (found.length < free) backlogged.delete(subscriber);
    for (const claimed of found) {
      const former = [...running.keys()].find((run) => run.claimed.id === claimed.id);
      // Its lease ran out here, and its handler still runs: the delivery waits for the end of the new lease.
      if (former !== undefined) lose(former);
      else begin({ claimed, controller: new AbortController(), leaseUntil, lost: false });
    }
  }

  function begin(run: RunningDelivery): void {
    const { id, subscriber, event } = run.claimed;
    const handler = handlers.find(subscriber, event);
    const work = async () => {
      try {
        // Forgotten since it was claimed: its delivery is cancelled.
        if (handler !== undefined) await deliver(run, handler);
      } catch (err) {
        logger.warn(
          { err, deliveryId: id, subscriber },
          'what came of an event is not recorded; it is delivered again',
        );
      } finally {
        running.delete(run);
        if (backlogged.has(subscriber)) wake();
      }
    };
    running.set(run, work());
  }

  function wake(): void {
    if (state !== 'working') return;
    isWoken = true;
    if (looking !== undefined) return;
    clearTimeout(timer);
    looking = lookWhileWoken().finally(() => {
      looking = undefined;
      if (state === 'working') timer = setTimeout(wake, isWoken ? 0 : pollMs);
    });
  }

  async function lookWhileWoken(): Promise<void> {
    try {
      while (isWoken && state === 'working') {
        isWoken = false;
        await look();
      }
    } catch (err) {
      isWoken = false;
      logger.warn({ err }, 'events for subscribers could not be claimed; it is tried again');
    }
  }

  function lose(run: RunningDelivery): void {
    if (run.lost || !running.has(run)) return;
    run.lost = true;
    run.controller.abort(new Error('The lease of this event was lost.'));
  }

  /** Lengthens the leases of what runs; what was lost, or can no longer be known to hold, is aborted. */
  async function beat(): Promise<void> {
    const held = [...running.keys()].filter(({ lost }) => !lost);
    if (held.length === 0) return;
    const until = new Date(clock.now().getTime() + leaseMs);
    const claimed = held.map((run) => run.claimed);
    try {
      const extended = new Set(await store.extend(claimed, until));
      for (const run of held) {
        if (extended.has(run.claimed.id)) run.leaseUntil = until;
        else lose(run);
      }
    } catch (error) {
      const now = clock.now();
      for (const run of held) if (run.leaseUntil <= now) lose(run);
      throw error;
    }
  }

  async function watch(): Promise<void> {
    const before = new Date(clock.now().getTime() - NEGLECTED_AFTER_MS);
    const neglected = (await store.neglected(before)).filter(
      ({ subscriber, event }) => handlers.find(subscriber, event) === undefined,
    );
    const names = new Set(neglected.map(nameOf));
    for (const name of reported) if (!names.has(name)) reported.delete(name);
    const unreported = neglected.filter((one) => !reported.has(nameOf(one)));
    for (const name of names) reported.add(name);
    for (const [subscriber, own] of Map.groupBy(unreported, (one) => one.subscriber)) {
      logger.warn(
        { subscriber, events: own.map(({ event }) => event) },
        'no process takes these events of a subscriber; register a handler with `on`, or forget the subscriber with `off`',
      );
    }
  }

  /** A run that takes longer than its period is not overtaken. */
  function every(ms: number, work: () => Promise<void>, message: string): void {
    let isBusy = false;
    const run = async () => {
      if (isBusy) return;
      isBusy = true;
      await work().catch((err: unknown) => logger.warn({ err }, message));
      isBusy = false;
    };
    timers.push(setInterval(() => void run(), ms));
  }

  async function settle(ms: number): Promise<boolean> {
    let timeout: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timeout = setTimeout(() => resolve(false), ms);
    });
    const all = Promise.all(running.values()).then(() => true);
    return Promise.race([all, late]).finally(() => clearTimeout(timeout));
  }

  async function drain(graceMs: number): Promise<void> {
    if (await settle(graceMs)) return;
    for (const { controller } of running.keys()) controller.abort(new Error('The instance stops.'));
    if (await settle(ABORT_GRACE_MS)) return;
    for (const run of running.keys()) {
      if (run.lost) continue;
      run.lost = true;
      const { id: deliveryId, subscriber } = run.claimed;
      logger.warn({ deliveryId, subscriber }, 'a handler did not end when aborted; its event is given back');
      await store.release(run.claimed, clock.now()).catch((err: unknown) => {
        logger.warn({ err, deliveryId }, 'an event could not be given back; its lease will run out');
      });
    }
  }

  return {
    on(event, handler, options) {
      // From JavaScript the options may be forgotten.
      const { name, brandId } = options ?? {};
      if (state === 'stopped') throw new Error('This instance has been stopped: make a new one with createCredence.');
      handlers.add(event, handler, name, brandId);
      unstored = [...unstored, { subscriber: name, event, ...(brandId === undefined ? {} : { brandId }) }];
      wake();
    },
    async off(name) {
      handlers.remove(name);
      unstored = unstored.filter(({ subscriber }) => subscriber !== name);
      await looking;
      await store.unsubscribe(name, clock.now());
    },
    open,
    names: () => handlers.wanted().map(({ subscriber }) => subscriber),
    start() {
      if (state !== 'idle') return;
      state = 'working';
      every(leaseMs / 3, beat, 'leases of events for subscribers could not be extended');
      every(watchMs, watch, 'events that wait for a subscriber could not be looked for');
      wake();
    },
    wake,
    async stop(graceMs) {
      const wasWorking = state === 'working';
      state = 'stopped';
      clearTimeout(timer);
      if (!wasWorking) return;
      await looking;
      await drain(graceMs);
      timers.forEach(clearInterval);
    },
  };
}

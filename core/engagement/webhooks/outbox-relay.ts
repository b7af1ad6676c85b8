/**
 * Hands outbox entries over (the outbox pattern): jobs to the job queue, events to their receivers' deliveries. An entry is
 * removed only after that is stored. So a crash at any point loses nothing and at worst hands an entry over twice. Job
 * handlers and the dispatch of events are idempotent.
 */
import { pieces } from '../../bulk.ts';
import type { AttemptStore, HandedOver, LeasedOutbox, PendingOutbox } from '../../ports/attempt-store.ts';
import type { CreatorStore, PendingAccountOutbox } from '../../ports/creator-store.ts';
import type { JobQueue, NewJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { DirectDeliveries } from './direct-deliveries.ts';
import { type dispatchEvents, dispatchJob } from './dispatch-event.ts';
import type { EventEntry, OutboxEntry } from './outbox.ts';

export interface OutboxRelayDeps {
  readonly attempts: Pick<AttemptStore, 'pendingOutbox' | 'outboxOf' | 'acknowledgeOutbox'>;
  readonly creators: Pick<CreatorStore, 'pendingOutbox' | 'acknowledgeOutbox'>;
  readonly queue: JobQueue;
  readonly logger: Logger;
  /** Makes the deliveries of many events at once; if it fails or is absent, each event gets a `dispatch-event` job. */
  readonly dispatch?: ReturnType<typeof dispatchEvents>;
  /** Sends events without storing them as deliveries first; absent if the storage leases no entries. */
  readonly direct?: DirectDeliveries | undefined;
  /** How often leftovers are looked for; 1,000 by default. */
  readonly intervalMs?: number;
  /** Attempts, and accounts, a look; 250 by default. */
  readonly batch?: number;
}

/** Hands the events that were committed with attempts and accounts over to the job queue. */
export interface OutboxRelay {
  /**
   * Hands over the entries of one attempt right after its transition. Never rejects: what fails is logged and left to the
   * poller.
   */
  nudge(attemptId: number): Promise<void>;
  /** Hands over what the outboxes of attempts hold that were just stored, without reading it again. Never rejects, as `nudge`. */
  handOver(stored: readonly PendingOutbox[]): Promise<void>;
  /** Hands over the entries of all accounts right after one was linked. Never rejects, as `nudge`. */
  nudgeAccounts(): Promise<void>;
  /** Hands over everything that is pending; returns how many entries. @throws what the storage or the queue throws. */
  drain(): Promise<number>;
  /** Starts looking for leftovers of this and of other processes. */
  start(): void;
  /** Stops looking and waits for what is under way. */
  stop(): Promise<void>;
}

/** So many attempts are handed over in turn with the looks for leftovers, and sent directly if that is possible. */
const MANY = 8;

export function createOutboxRelay(deps: OutboxRelayDeps): OutboxRelay {
  const { attempts, creators, queue, logger, direct, intervalMs = 1_000, batch = 250 } = deps;
  const underWay = new Set<Promise<unknown>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let started = false;
  let nudging: Promise<void> = Promise.resolve();
  let nextNudge: { readonly ids: Set<number>; readonly done: Promise<void> } | undefined;

  async function handOver(pending: readonly { readonly entries: readonly OutboxEntry[] }[]): Promise<number> {
    const waves = inWaves(pending.map(({ entries }) => entries));
    let handed = 0;
    // Among many, the events of one are far enough apart anyway.
    for (const entries of pending.length < MANY ? waves : [waves.flat()]) {
      const events = entries.filter((entry) => entry.kind === 'event');
      const areDispatched = await dispatch(events);
      const jobs = entries.filter((entry) => entry.kind === 'job' || !areDispatched).map(toJob);
      if (jobs.length > 0) await queue.enqueue(jobs);
      handed += entries.length;
    }
    return handed;
  }

  async function handOverAttempts(pending: readonly PendingOutbox[]): Promise<number> {
    const handed = await handOver(pending);
    if (handed > 0) await attempts.acknowledgeOutbox(pending.map(toHandedOver));
    return handed;
  }

  /** The entries of many attempts that are due, or those of some attempts. */
  async function handOverLeased(
    direct: DirectDeliveries,
    which: { limit: number } | { attemptIds: readonly number[] },
  ) {
    const leased = await direct.lease(which);
    const count = leased.reduce((sum, { entries }) => sum + entries.length, 0);
    let rest: readonly PendingOutbox[] = leased;
    try {
      if (count >= MANY) rest = await sendDirectly(direct, leased);
      await handOverAttempts(rest);
    } catch (error) {
      // The next look finds them at once; if this fails too, when the lease ends.
      await direct.giveBack(rest.map(toHandedOver)).catch(() => undefined);
      throw error;
    }
    return count;
  }

  /** @returns what has to be handed over in another way */
  async function sendDirectly(direct: DirectDeliveries, leased: readonly LeasedOutbox[]): Promise<PendingOutbox[]> {
    const events = leased
      // What may have been sent is looked for among the deliveries.
      .filter(({ isAgain }) => !isAgain)
      .map(({ attemptId, entries }) =>
        entries.flatMap((entry) => (entry.kind === 'event' ? [{ attemptId, entry }] : [])),
      );
    const taken: ReadonlySet<OutboxEntry> = await direct.take(inWaves(events).flat());
    return leased
      .map(({ attemptId, entries }) => ({ attemptId, entries: entries.filter((entry) => !taken.has(entry)) }))
      .filter(({ entries }) => entries.length > 0);
  }

  async function handOverAccounts(pending: readonly PendingAccountOutbox[]): Promise<number> {
    const handed = await handOver(pending);
    if (handed > 0) {
      await creators.acknowledgeOutbox(
        pending.map(({ accountId, entries }) => ({ accountId, entryIds: ids(entries) })),
      );
    }
    return handed;
  }

  /** False if the events need jobs: one that cannot be dispatched then holds no other up. */
  async function dispatch(events: readonly EventEntry[]): Promise<boolean> {
    if (deps.dispatch === undefined) return false;
    try {
      if (events.length > 0) await deps.dispatch(events.map(({ id, event }) => ({ entryId: id, event })));
      return true;
    } catch (error) {
      logger.warn({ err: error, events: events.length }, 'events could not be dispatched together; each gets a job');
      return false;
    }
  }

  /** @param handOverSome hands over at most so many attempts, accounts or entries; says whether there may be more */
  async function drainOf(
    handOverSome: (limit: number) => Promise<{ handed: number; isFull: boolean }>,
  ): Promise<number> {
    let total = 0;
    for (;;) {
      // Meanwhile the entries are as safe where they are.
      await queue.untilRoom?.('deliver-webhook');
      const { handed, isFull } = await handOverSome(batch);
      total += handed;
      // Nothing handed over although there was a full batch would be looked at forever.
      if (!isFull || handed === 0) return total;
    }
  }

  async function handOverSomeAttempts(limit: number) {
    if (direct !== undefined) {
      await direct.untilRoom();
      const handed = await handOverLeased(direct, { limit });
      return { handed, isFull: handed >= limit };
    }
    const pending = await attempts.pendingOutbox(limit);
    return { handed: await handOverAttempts(pending), isFull: pending.length >= limit };
  }

  async function handOverSomeAccounts(limit: number) {
    const pending = await creators.pendingOutbox(limit);
    return { handed: await handOverAccounts(pending), isFull: pending.length >= limit };
  }

  const attemptsInTurn = createTurns();
  const accountsInTurn = createTurns();
  const drainAttempts = () => attemptsInTurn(() => drainOf(handOverSomeAttempts));
  const drainAccounts = () => accountsInTurn(() => drainOf(handOverSomeAccounts));

  async function drain(): Promise<number> {
    // One that fails does not keep the other from being handed over.
    const results = await Promise.allSettled([drainAttempts(), drainAccounts()]);
    return results.reduce((total, result) => {
      if (result.status === 'rejected') throw result.reason;
      return total + result.value;
    }, 0);
  }

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    const forget = () => underWay.delete(work);
    work.then(forget, forget);
    return work;
  }

  async function quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await track(work());
    } catch (error) {
      logger.warn({ err: error }, 'outbox not handed over; it will be tried again');
    }
  }

  function schedule(): void {
    if (!started) return;
    timer = setTimeout(() => {
      void quietly(drain).then(schedule);
    }, intervalMs);
  }

  /** Nudges that come while earlier ones are handed over are handed over together. */
  async function nudgeMany(attemptIds: readonly number[]): Promise<void> {
    if (attemptIds.length === 0) return;
    const joined = nextNudge !== undefined;
    nextNudge ??= { ids: new Set(), done: nudging.then(nudgeAll) };
    for (const id of attemptIds) nextNudge.ids.add(id);
    const { done } = nextNudge;
    if (!joined) nudging = done;
    await done;
  }

  async function nudgeAll(): Promise<void> {
    const wanted = [...(nextNudge?.ids ?? [])];
    nextNudge = undefined;
    await quietly(async () => {
      const areMany = wanted.length >= MANY;
      if (direct !== undefined) return areMany ? drainAttempts() : handOverLeased(direct, { attemptIds: wanted });
      return areMany ? attemptsInTurn(() => handOverThese(wanted)) : handOverThese(wanted);
    });
  }

  async function handOverThese(attemptIds: readonly number[]): Promise<void> {
    const own = attemptIds.map(async (attemptId) => ({ attemptId, entries: await attempts.outboxOf(attemptId) }));
    await handOverInHand(await Promise.all(own));
  }

  async function handOverInHand(pending: readonly PendingOutbox[]): Promise<void> {
    for (const some of pieces(pending, batch)) {
      await queue.untilRoom?.('deliver-webhook');
      await handOverAttempts(some);
    }
  }

  return {
    nudge: (attemptId) => nudgeMany([attemptId]),
    handOver: (stored) =>
      direct === undefined
        ? quietly(() => attemptsInTurn(() => handOverInHand(stored)))
        : nudgeMany(stored.map(({ attemptId }) => attemptId)),
    nudgeAccounts: () => quietly(drainAccounts),
    drain: () => track(drain()),
    start() {
      if (started) return;
      started = true;
      direct?.start();
      schedule();
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await Promise.allSettled([...underWay]);
      await direct?.stop();
    },
  };
}

/** One piece of work after the other: two at once would hand the same entries over twice. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work);
    last = run;
    return run;
  };
}

/** The first of each list, then the second of each, and so on. So a verification sets out before its reward. */
function inWaves<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1)));
}

function toHandedOver({ attemptId, entries }: PendingOutbox): HandedOver {
  return { attemptId, entryIds: ids(entries) };
}

const ids = (entries: readonly OutboxEntry[]) => entries.map(({ id }) => id);

function toJob(entry: OutboxEntry): NewJob {
  if (entry.kind === 'event') return dispatchJob(entry.id, entry.event);
  const { type, attemptId } = entry.job;
  return { type, key: `${type}:${entry.id}`, payload: { attemptId } };
}

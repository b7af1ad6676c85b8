/**
 * Turns outbox entries into jobs (the outbox pattern): an entry is removed only after the job queue has accepted its job,
 * so a crash at any point loses nothing and at worst hands an entry over twice. Job handlers are idempotent.
 */
import type { AttemptStore, PendingOutbox } from '../../ports/attempt-store.ts';
import type { JobQueue, NewJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import { dispatchJob } from './dispatch-event.ts';
import type { OutboxEntry } from './outbox.ts';

export interface OutboxRelayDeps {
  readonly attempts: Pick<AttemptStore, 'pendingOutbox' | 'outboxOf' | 'acknowledgeOutbox'>;
  readonly queue: JobQueue;
  readonly logger: Logger;
  /** How often leftovers are looked for; 1,000 by default. */
  readonly intervalMs?: number;
  /** Attempts a look; 100 by default. */
  readonly batch?: number;
}

/** Hands the events that were committed with attempts over to the job queue. */
export interface OutboxRelay {
  /**
   * Hands over the entries of one attempt right after its transition. Never rejects: what fails is logged and left to the
   * poller.
   */
  nudge(attemptId: number): Promise<void>;
  /** `nudge` for many attempts, in few round trips. */
  nudgeMany(attemptIds: readonly number[]): Promise<void>;
  /** Hands over everything that is pending; returns how many entries. @throws what the storage or the queue throws. */
  drain(): Promise<number>;
  /** Starts looking for leftovers of this and of other processes. */
  start(): void;
  /** Stops looking and waits for what is under way. */
  stop(): Promise<void>;
}

/** From this many attempts on, one look at everything pending is cheaper than one read each. */
const MANY = 8;

export function createOutboxRelay(deps: OutboxRelayDeps): OutboxRelay {
  const { attempts, queue, logger, intervalMs = 1_000, batch = 100 } = deps;
  const underWay = new Set<Promise<unknown>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let started = false;

  async function handOver(pending: readonly PendingOutbox[]): Promise<number> {
    const entries = pending.flatMap((each) => each.entries);
    if (entries.length === 0) return 0;
    await queue.enqueue(entries.map(toJob));
    // Side by side: a storage that writes what comes together in one go writes all of them at once.
    await Promise.all(
      pending.map(({ attemptId, entries: own }) =>
        attempts.acknowledgeOutbox(
          attemptId,
          own.map(({ id }) => id),
        ),
      ),
    );
    return entries.length;
  }

  async function drain(): Promise<number> {
    let total = 0;
    for (;;) {
      const pending = await attempts.pendingOutbox(batch);
      const handed = await handOver(pending);
      total += handed;
      // Nothing handed over although there was a full batch would be looked at forever.
      if (pending.length < batch || handed === 0) return total;
    }
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

  async function nudge(attemptId: number): Promise<void> {
    await quietly(async () => handOver([{ attemptId, entries: await attempts.outboxOf(attemptId) }]));
  }

  return {
    nudge,
    async nudgeMany(attemptIds) {
      if (attemptIds.length >= MANY) await quietly(drain);
      else await Promise.all(attemptIds.map(nudge));
    },
    drain: () => track(drain()),
    start() {
      if (started) return;
      started = true;
      schedule();
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await Promise.allSettled([...underWay]);
    },
  };
}

function toJob(entry: OutboxEntry): NewJob {
  if (entry.kind === 'event') return dispatchJob(entry.id, entry.event);
  const { type, attemptId } = entry.job;
  return { type, key: `${type}:${entry.id}`, payload: { attemptId } };
}

/**
 * Hands outbox entries over (the outbox pattern): jobs to the job queue, events to their receivers' deliveries. An entry is
 * removed only after that is stored. So a crash at any point loses nothing and at worst hands an entry over twice. Jobs are known by
 * their keys, and deliveries by their messages, so that this changes nothing.
 */
import { pieces } from '../../bulk.ts';
import { isDomainError } from '../../errors.ts';
import type { AttemptStore, PendingOutbox } from '../../ports/attempt-store.ts';
import type { CreatorStore } from '../../ports/creator-store.ts';
import type { JobQueue, NewJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { DispatchEvents } from './dispatch-event.ts';
import type { OutboxEntry } from './outbox.ts';

export interface OutboxRelayDeps {
  readonly attempts: Pick<AttemptStore, 'pendingOutbox' | 'acknowledgeOutbox'>;
  readonly creators: Pick<CreatorStore, 'pendingOutbox' | 'acknowledgeOutbox'>;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly logger: Logger;
  readonly dispatch: DispatchEvents;
  /** How often leftovers are looked for; 1,000 by default. */
  readonly intervalMs?: number;
  /** Attempts, and accounts, a look; 250 by default. */
  readonly batch?: number;
}

/** What an attempt or an account has in its outbox. */
interface Pending {
  readonly entries: readonly OutboxEntry[];
}

/** Hands the events and jobs that were committed with attempts and accounts over. One piece of work after the other. */
export class OutboxRelay {
  readonly #deps: OutboxRelayDeps;
  readonly #batch: number;
  readonly #nudged = new Set<number>();
  #nextNudge: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;

  constructor(deps: OutboxRelayDeps) {
    this.#deps = deps;
    this.#batch = deps.batch ?? 250;
  }

  /**
   * Hands over the entries of one attempt right after its transition; those of several together. Never rejects: what fails is
   * logged and left to the next look.
   */
  nudge(attemptId: number): Promise<void> {
    this.#nudged.add(attemptId);
    this.#nextNudge ??= this.#quietly(async () => {
      this.#nextNudge = undefined;
      const ids = [...this.#nudged];
      this.#nudged.clear();
      await this.#handOverInPieces(await this.#deps.attempts.pendingOutbox(ids));
    });
    return this.#nextNudge;
  }

  /** Hands over what the outboxes of attempts hold that were just stored, without reading it again. Never rejects, as `nudge`. */
  handOver(stored: readonly PendingOutbox[]): Promise<void> {
    return this.#quietly(() => this.#handOverInPieces(stored));
  }

  /** Hands over the entries of all accounts right after one was linked. Never rejects, as `nudge`. */
  nudgeAccounts(): Promise<void> {
    return this.#quietly(() => this.#drainAccounts());
  }

  /** Hands over everything that is pending; returns how many entries. @throws what the storage or the queue throws */
  drain(): Promise<number> {
    return this.#inOrder(async () => {
      // One that fails does not keep the other from being handed over.
      const results = await Promise.allSettled([this.#drainAttempts(), this.#drainAccounts()]);
      return results.reduce((total, result) => {
        if (result.status === 'rejected') throw result.reason;
        return total + result.value;
      }, 0);
    });
  }

  /** Starts looking for leftovers of this and of other processes. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#schedule(0);
  }

  /** Stops looking and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#last;
  }

  #schedule(waitMs: number): void {
    if (!this.#isStarted) return;
    this.#timer = setTimeout(() => {
      void this.drain()
        .catch((err: unknown) => this.#logFailure(err))
        .then(() => this.#schedule(this.#deps.intervalMs ?? 1_000));
    }, waitMs);
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  #quietly(work: () => Promise<unknown>): Promise<void> {
    return this.#inOrder(work).then(
      () => undefined,
      (err: unknown) => this.#logFailure(err),
    );
  }

  #logFailure(err: unknown): void {
    this.#deps.logger.warn({ err }, 'outbox not handed over; it will be tried again');
  }

  #drainAttempts(): Promise<number> {
    const { attempts } = this.#deps;
    return this.#drainOf(
      (limit) => attempts.pendingOutbox(limit),
      (some) => this.#acknowledgeAttempts(some),
    );
  }

  #drainAccounts(): Promise<number> {
    const { creators } = this.#deps;
    return this.#drainOf(
      (limit) => creators.pendingOutbox(limit),
      (some) =>
        creators.acknowledgeOutbox(some.map(({ accountId, entries }) => ({ accountId, entryIds: idsOf(entries) }))),
    );
  }

  #acknowledgeAttempts(some: readonly PendingOutbox[]): Promise<void> {
    return this.#deps.attempts.acknowledgeOutbox(
      some.map(({ attemptId, entries }) => ({ attemptId, entryIds: idsOf(entries) })),
    );
  }

  async #drainOf<P extends Pending>(
    read: (limit: number) => Promise<readonly P[]>,
    acknowledge: (some: readonly P[]) => Promise<void>,
  ): Promise<number> {
    for (let total = 0; ; ) {
      const pending = await read(this.#batch);
      const handed = await this.#handOverSome(pending, acknowledge);
      total += handed;
      // Nothing handed over although there was a full batch would be looked at forever.
      if (pending.length < this.#batch || handed === 0) return total;
    }
  }

  async #handOverInPieces(stored: readonly PendingOutbox[]): Promise<void> {
    for (const some of pieces(stored, this.#batch)) {
      await this.#handOverSome(some, (done) => this.#acknowledgeAttempts(done));
    }
  }

  /** Hands over together, or one by one if that fails: one that cannot be handed over holds no other up. */
  async #handOverSome<P extends Pending>(
    pending: readonly P[],
    acknowledge: (some: readonly P[]) => Promise<void>,
  ): Promise<number> {
    const entries = pending.flatMap((one) => one.entries);
    if (entries.length === 0) return 0;
    try {
      await this.#store(entries);
    } catch (error) {
      if (pending.length === 1 || isDomainError(error, 'SERVICE_UNAVAILABLE')) throw error;
      let handed = 0;
      for (const one of pending) {
        handed += await this.#handOverSome([one], acknowledge).catch((err: unknown) => {
          this.#logFailure(err);
          return 0;
        });
      }
      return handed;
    }
    await acknowledge(pending);
    return entries.length;
  }

  async #store(entries: readonly OutboxEntry[]): Promise<void> {
    await this.#deps.dispatch(
      entries.flatMap((entry) => (entry.kind === 'event' ? [{ entryId: entry.id, event: entry.event }] : [])),
    );
    const jobs = entries.flatMap((entry) => (entry.kind === 'job' ? [toJob(entry)] : []));
    if (jobs.length > 0) await this.#deps.queue.enqueue(jobs);
  }
}

const idsOf = (entries: readonly OutboxEntry[]) => entries.map(({ id }) => id);

function toJob({ id, job: { type, attemptId } }: OutboxEntry & { readonly kind: 'job' }): NewJob {
  return { type, key: `${type}:${id}`, payload: { attemptId } };
}

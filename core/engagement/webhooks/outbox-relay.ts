/**
 * Hands outbox entries over (the outbox pattern): jobs to the job queue, events to their receivers' deliveries. An entry is
 * removed only after that is stored. So a crash at any point loses nothing and at worst hands an entry over twice. Jobs are known by
 * their keys, and deliveries by their messages, so that this changes nothing.
 */
import { pieces } from '../../bulk.ts';
import { isDomainError } from '../../errors.ts';
import type { NewJob } from '../../ports/job-queue.ts';
import type { OutboxStore, PendingOutbox } from '../../ports/outbox-store.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import type { DispatchEvents } from './dispatch-event.ts';
import type { OutboxEntry } from './outbox.ts';

export interface OutboxRelayDeps extends Pick<UseCaseParts, 'queue' | 'logger'> {
  readonly outbox: OutboxStore;
  readonly dispatch: DispatchEvents;
  /** How often leftovers are looked for; 1,000 by default. */
  readonly intervalMs?: number;
  /** Owners of entries a look; 250 by default. */
  readonly batch?: number;
}

/** Hands over what was committed. One piece of work after the other. */
export class OutboxRelay {
  readonly #deps: OutboxRelayDeps;
  readonly #batch: number;
  #given: PendingOutbox[] = [];
  #nextGiven: Promise<void> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;

  constructor(deps: OutboxRelayDeps) {
    this.#deps = deps;
    this.#batch = deps.batch ?? 250;
  }

  /**
   * Hands over entries that were just stored, without reading them again; those of several calls together. Never rejects: what fails
   * is logged and left to the next look.
   */
  handOver(stored: readonly PendingOutbox[]): Promise<void> {
    this.#given.push(...stored.filter(({ entries }) => entries.length > 0));
    if (this.#given.length === 0) return Promise.resolve();
    this.#nextGiven ??= this.#quietly(async () => {
      this.#nextGiven = undefined;
      for (const some of pieces(this.#given.splice(0), this.#batch)) await this.#handOverSome(some);
    });
    return this.#nextGiven;
  }

  /** Looks at once for what is pending. Never rejects, as `handOver`. */
  nudge(): Promise<void> {
    return this.#quietly(() => this.#drain());
  }

  /** Hands over everything that is pending; returns how many entries. @throws what the storage or the queue throws */
  drain(): Promise<number> {
    return this.#inOrder(() => this.#drain());
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
      void this.nudge().then(() => this.#schedule(this.#deps.intervalMs ?? 1_000));
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

  async #drain(): Promise<number> {
    for (let total = 0; ; ) {
      const pending = await this.#deps.outbox.pending(this.#batch);
      const handed = await this.#handOverSome(pending);
      total += handed;
      // Nothing handed over although there was a full batch would be looked at forever.
      if (pending.length < this.#batch || handed === 0) return total;
    }
  }

  /** Hands over together, or one by one if that fails: one that cannot be handed over holds no other up. */
  async #handOverSome(pending: readonly PendingOutbox[]): Promise<number> {
    const entries = pending.flatMap((one) => one.entries);
    if (entries.length === 0) return 0;
    try {
      await this.#store(entries);
    } catch (error) {
      if (pending.length === 1 || isDomainError(error, 'SERVICE_UNAVAILABLE')) throw error;
      let handed = 0;
      for (const one of pending) {
        handed += await this.#handOverSome([one]).catch((err: unknown) => {
          this.#logFailure(err);
          return 0;
        });
      }
      return handed;
    }
    await this.#deps.outbox.acknowledge(
      pending.map((one) => ({ owner: one.owner, entryIds: one.entries.map(({ id }) => id) })),
    );
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

function toJob({ id, job: { type, attemptId } }: OutboxEntry & { readonly kind: 'job' }): NewJob {
  return { type, key: `${type}:${id}`, payload: { attemptId } };
}

/** Bounded concurrency that callers share fairly: none of them can keep the others from their turn. */
import { DomainError } from '../../core/errors.ts';

/** The bounds of a `FairQueue`. */
export interface FairQueueOptions {
  /** What callers wait for; refusals name it, for example `notary`. */
  readonly name: string;
  /** Tasks that run at once, over all callers. */
  readonly concurrency: number;
  /** Tasks that wait, over all callers; more are refused. */
  readonly maxQueued: number;
  /** Tasks of one caller that wait; more are refused. @default a quarter of `maxQueued` */
  readonly maxQueuedPerCaller?: number;
  /** A task that has not begun after this is refused; milliseconds. */
  readonly maxWaitMs: number;
}

/** The caller of a call that names none. */
const UNNAMED = '';
const MAX_RETRY_AFTER_SECONDS = 60;
/** Weight of the latest task in the average duration. */
const LATEST_WEIGHT = 0.2;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Callers take turns. A caller may begin a task while it runs fewer than there are free places. So it gets at most half
 * of an idle queue and always leaves places for the next caller, however long its tasks take.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #runningOf = new Map<string, number>();
  /** In the order of their turns. */
  readonly #waitingOf = new Map<string, Set<Waiting>>();
  readonly #whenIdle: (() => void)[] = [];
  /** Whose turn was the latest. */
  #latest = UNNAMED;
  #running = 0;
  #waiting = 0;
  #averageMs = 1_000;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Tasks that wait, over all callers. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs a task in the caller's turn and settles as the task does. Rejects with `SERVICE_UNAVAILABLE` and a time to retry
   * after if too many tasks wait or this one waited too long. Rejects with the signal's reason if that fires before the task
   * begins. Once begun, a task keeps its place until it settles.
   */
  async run<T>(task: () => Promise<T>, caller = UNNAMED, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#mayBegin(caller)) this.#take(caller);
    else await this.#turn(caller, signal);
    const started = performance.now();
    try {
      return await task();
    } finally {
      this.#averageMs += LATEST_WEIGHT * (performance.now() - started - this.#averageMs);
      this.#giveBack(caller);
    }
  }

  /** Refuses everything that waits, with `error`. What runs continues. */
  refuseWaiting(error: unknown): void {
    for (const waiting of [...this.#waitingOf.values()].flatMap((of) => [...of])) waiting.refuse(error);
  }

  /** Resolves when nothing runs or waits. */
  onIdle(): Promise<void> {
    if (this.#running + this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #mayBegin(caller: string): boolean {
    return (this.#runningOf.get(caller) ?? 0) < this.#options.concurrency - this.#running;
  }

  #take(caller: string): void {
    this.#latest = caller;
    this.#toTheEnd(caller);
    this.#running += 1;
    this.#runningOf.set(caller, (this.#runningOf.get(caller) ?? 0) + 1);
  }

  #giveBack(caller: string): void {
    this.#running -= 1;
    const left = (this.#runningOf.get(caller) ?? 1) - 1;
    if (left > 0) this.#runningOf.set(caller, left);
    else this.#runningOf.delete(caller);
    // Begins what may.
    for (let next = this.#nextWaiting(); next !== undefined; next = this.#nextWaiting()) next.begin();
    if (this.#running + this.#waiting === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when a place has been taken for the caller. */
  #turn(caller: string, signal: AbortSignal | undefined): Promise<void> {
    const { maxQueued, maxQueuedPerCaller = Math.ceil(maxQueued / 4), maxWaitMs, name } = this.#options;
    const ofCaller = this.#waitingOf.get(caller) ?? new Set<Waiting>();
    if (ofCaller.size >= maxQueuedPerCaller) {
      return Promise.reject(
        this.#busy(`You have ${ofCaller.size} requests waiting for the ${name}, the most allowed.`),
      );
    }
    if (this.#waiting >= maxQueued) {
      return Promise.reject(this.#busy(`The ${name} has too many requests waiting.`));
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#waiting -= 1;
        ofCaller.delete(waiting);
        if (ofCaller.size === 0) this.#waitingOf.delete(caller);
      };
      const waiting: Waiting = {
        begin: () => {
          leave();
          this.#take(caller);
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => waiting.refuse(signal?.reason);
      const late = `The ${name} was busy for ${maxWaitMs / 1000} s.`;
      const timer = setTimeout(() => waiting.refuse(this.#busy(late)), maxWaitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting += 1;
      ofCaller.add(waiting);
      this.#waitingOf.set(caller, ofCaller);
      // A newcomer is before the caller of the latest turn, and behind the others.
      this.#toTheEnd(this.#latest);
    });
  }

  #toTheEnd(caller: string): void {
    const waiting = this.#waitingOf.get(caller);
    if (waiting === undefined) return;
    this.#waitingOf.delete(caller);
    this.#waitingOf.set(caller, waiting);
  }

  /** Of the callers that may begin the one that runs the fewest, and of those the first. */
  #nextWaiting(): Waiting | undefined {
    let [next, fewest]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const [caller, [first]] of this.#waitingOf) {
      const running = this.#runningOf.get(caller) ?? 0;
      if (running < fewest && this.#mayBegin(caller)) [next, fewest] = [first, running];
    }
    return next;
  }

  #busy(reason: string): DomainError {
    const expectedMs = (this.#averageMs * (this.#waiting + 1)) / this.#options.concurrency;
    const seconds = Math.min(MAX_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil(expectedMs / 1000)));
    return new DomainError('SERVICE_UNAVAILABLE', `${reason} Try again in ${seconds} s.`, {
      retryAfterSeconds: seconds,
    });
  }
}

/**
 * The requests that wait for one rate. A limiter says when the next may go, here or over all processes. This queue says whose it
 * is: callers take turns, and none of them uses up what all share.
 */
import { DomainError } from '../../core/errors.ts';
import { startTimer } from '../../core/long-timer.ts';
import type { CallTime } from './deadline.ts';
import type { TurnLimiter } from './local-limiter.ts';
import type { Rate } from './types.ts';

export interface RateQueueOptions {
  readonly limiter: TurnLimiter;
  readonly rate: Rate;
  /** The limiter is shared between processes by a store, which may be out of reach. */
  readonly isShared: boolean;
}

interface Waiting {
  /** Settles the caller's promise; never rejects. */
  readonly begin: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
  readonly time: CallTime;
}

type Caller = CallTime['caller'];

/** Requests that wait, of one caller and of all; more are refused. */
const MAX_WAITING_OF_CALLER = 1_000;
const MAX_WAITING = 5_000;
/** A caller may have used three times what it leaves to the others: of a whole burst, three quarters. */
const USED_BY_LEFT = 3;
/** How often to check whether a caller that waits for its share may go: other processes use the rate as well. */
const LOOK_AGAIN_MS = 1_000;
/** How long the shared store may take to answer. */
const STORE_PATIENCE_MS = 3_000;
const STORE_RETRY_SECONDS = 5;

export class RateQueue {
  readonly #options: RateQueueOptions;
  /** The requests of each caller; the first caller has the next turn. */
  readonly #waiting = new Map<Caller, Set<Waiting>>();
  /** When everything that a caller has used is refilled. Counted in this process. */
  readonly #refilledAt = new Map<Caller, number>();
  #isTaking = false;
  #isStopped = false;
  #wake = (): void => undefined;

  constructor(options: RateQueueOptions) {
    this.#options = options;
  }

  /** See `Pacer.run`. */
  async run<T>(time: CallTime, task: () => Promise<T>, patienceMs: number): Promise<T> {
    const patientUntil = performance.now() + patienceMs;
    const waitMs = this.#waitMs(time.caller, await this.#free(time));
    time.check();
    if (this.#isStopped) throw time.timeoutError();
    const patience = patientUntil - performance.now();
    const isFull = this.#size() >= MAX_WAITING || this.#sizeOf(time.caller) >= MAX_WAITING_OF_CALLER;
    if (isFull || waitMs > Math.min(patience, time.remainingMs())) throw rateLimited(waitMs);
    return await this.#inTurn(time, task, patience);
  }

  /** Ends the requests that wait with `PLATFORM_TIMEOUT`. */
  stop(): void {
    this.#isStopped = true;
    this.#refuseAll(({ time }) => time.timeoutError());
    this.#wake();
    this.#options.limiter.stop();
  }

  #size(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #sizeOf(caller: Caller): number {
    return this.#waiting.get(caller)?.size ?? 0;
  }

  /** How many requests may go out at once. */
  #free(time?: CallTime): Promise<number> {
    const free = this.#options.limiter.free();
    return this.#options.isShared ? answerOfStore(free, time) : free;
  }

  /**
   * Milliseconds until the caller has left enough to the others, after `waiting` of its own requests. `left` requests can go out
   * at once then; a negative number says how many refills are missing.
   */
  #waitForShareMs(caller: Caller, left: number, waiting = 0): number {
    const { refillEveryMs } = this.#options.rate;
    if (caller === undefined) return 0;
    const untilRefilled = (this.#refilledAt.get(caller) ?? 0) - performance.now();
    // Times are fractions: what is a refill's millionth part more is as good as refilled.
    const used = Math.max(0, Math.ceil(untilRefilled / refillEveryMs - 1e-6)) + waiting;
    if (used === 0 || used < USED_BY_LEFT * left) return 0;
    // A refill gives the rate one request more and takes one from what the caller has used.
    return (Math.floor((used - USED_BY_LEFT * left) / (USED_BY_LEFT + 1)) + 1) * refillEveryMs;
  }

  #used(caller: Caller): void {
    const now = performance.now();
    for (const [other, at] of this.#refilledAt) if (at <= now) this.#refilledAt.delete(other);
    this.#refilledAt.set(caller, (this.#refilledAt.get(caller) ?? now) + this.#options.rate.refillEveryMs);
  }

  /** How long one request more of the caller would wait. */
  #waitMs(caller: Caller, free: number): number {
    const { spacingMs, refillEveryMs } = this.#options.rate;
    const own = this.#sizeOf(caller);
    // Callers before this one, and all if nothing of this one waits yet, have a turn more.
    let [ahead, turns] = [own, own + 1];
    for (const [other, { size }] of this.#waiting) {
      if (other === caller) turns = own;
      else if (this.#waitForShareMs(other, free) === 0) ahead += Math.min(size, turns);
    }
    const left = free - ahead;
    return Math.max(ahead * spacingMs, (1 - left) * refillEveryMs, this.#waitForShareMs(caller, left, own));
  }

  /** The first caller that may go; the others keep their place. */
  #next(free: number): Waiting | undefined {
    for (const [caller, [request]] of this.#waiting) {
      if (request === undefined || this.#waitForShareMs(caller, free) > 0) continue;
      const own = this.#remove(request);
      // Behind the others.
      if (own !== undefined && this.#waiting.delete(caller)) this.#waiting.set(caller, own);
      return request;
    }
    return undefined;
  }

  #remove(request: Waiting): Set<Waiting> | undefined {
    const { caller } = request.time;
    const own = this.#waiting.get(caller);
    own?.delete(request);
    if (own?.size === 0) this.#waiting.delete(caller);
    return own;
  }

  #refuseAll(errorOf: (request: Waiting) => unknown): void {
    const all = [...this.#waiting.values()].flatMap((own) => [...own]);
    this.#waiting.clear();
    for (const request of all) request.refuse(errorOf(request));
  }

  /** Takes turns for as long as somebody waits. Whose turn it is is decided when it has come, so that no newcomer is behind. */
  async #takeTurns(): Promise<void> {
    this.#wake();
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (this.#waiting.size > 0) {
        const free = await this.#free();
        const mayGo = [...this.#waiting.keys()].some((caller) => this.#waitForShareMs(caller, free) === 0);
        if (mayGo) await this.#options.limiter.turn(() => this.#next(free)?.begin());
        else await this.#lookAgain();
      }
    } catch (error) {
      this.#refuseAll(() => storeFailed(error));
    } finally {
      this.#isTaking = false;
    }
  }

  /** Resolves after a refill or when another request comes. */
  #lookAgain(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(this.#options.rate.refillEveryMs, LOOK_AGAIN_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Settles as the task does, which does not wait for the limiter to note it: a shared one may be out of reach by then. */
  #inTurn<T>(time: CallTime, task: () => Promise<T>, patienceMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        stopTimer();
        time.signal.removeEventListener('abort', leave);
      };
      const request: Waiting = {
        time,
        begin: async () => {
          end();
          if (time.caller !== undefined) this.#used(time.caller);
          await task().then(resolve, reject);
        },
        refuse(error) {
          end();
          reject(error);
        },
      };
      const leave = (): void => {
        this.#remove(request);
        request.refuse(time.timeoutError());
      };
      // Others may have come before it, so that it waits for longer than was foreseen.
      const giveUp = (): void => {
        this.#remove(request);
        this.#free(time).then((free) => request.refuse(rateLimited(this.#waitMs(time.caller, free))), request.refuse);
      };
      const stopTimer = startTimer(giveUp, patienceMs);
      time.signal.addEventListener('abort', leave);
      this.#waiting.set(time.caller, (this.#waiting.get(time.caller) ?? new Set()).add(request));
      void this.#takeTurns();
    });
  }
}

function rateLimited(waitMs: number): DomainError {
  return new DomainError(
    'SCRAPING_RATE_LIMITED',
    'Credence keeps to a safe rate on this platform, and it is used up; try again later.',
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)), details: { reason: 'own-rate-limit' } },
  );
}

/** What the shared store answers; not waited for longer than the call's time or the store's patience. */
function answerOfStore<T>(answer: Promise<T>, time: CallTime | undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(time?.timeoutError());
    const timer = setTimeout(() => reject(storeFailed(undefined)), STORE_PATIENCE_MS);
    time?.signal.addEventListener('abort', giveUp);
    answer
      .then(resolve, (error: unknown) => reject(storeFailed(error)))
      .finally(() => {
        clearTimeout(timer);
        time?.signal.removeEventListener('abort', giveUp);
      });
    if (time?.signal.aborted === true) giveUp();
  });
}

function storeFailed(cause: unknown): DomainError {
  if (cause instanceof DomainError) return cause;
  return new DomainError(
    'PLATFORM_UNAVAILABLE',
    'The rate shared between processes cannot be checked just now; try again later.',
    { details: { reason: 'rate-limit-unavailable' }, retryAfterSeconds: STORE_RETRY_SECONDS, cause },
  );
}

/** The requests that wait for one rate: callers take turns, and none of them uses up what all share. */
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { Bucket } from './bucket.ts';
import type { CallTime } from './deadline.ts';
import type { Rate } from './types.ts';

interface Waiting {
  readonly time: CallTime;
  /** Runs the task. Resolves when it ends; never rejects. */
  readonly begin: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
}

type Caller = CallTime['caller'];

/** Requests of one caller that wait; more are refused. */
const MAX_WAITING_OF_CALLER = 1_000;
/** A caller may have used three times what it leaves to the others: of a whole burst, three quarters. */
const USED_BY_LEFT = 3;
/** How often to check whether a caller that waits for its share may go: other processes use the rate as well. */
const LOOK_AGAIN_MS = 1_000;
const STORE_RETRY_SECONDS = 5;

export class RateQueue {
  readonly #bucket: Bucket;
  readonly #rate: Rate;
  /** The requests of each caller; the first caller has the next turn. */
  readonly #waiting = new Map<Caller, Set<Waiting>>();
  /** When everything that a caller has used is refilled. Counted in this process. */
  readonly #refilledAt = new Map<Caller, number>();
  #running = 0;
  #isWorking = false;
  #isStopped = false;
  #wake = (): void => undefined;

  constructor(bucket: Bucket, rate: Rate) {
    this.#bucket = bucket;
    this.#rate = rate;
  }

  /** See `Pacer.run`. */
  async run<T>(time: CallTime, task: () => Promise<T>, patienceMs: number): Promise<T> {
    const waitMs = this.#foreseeMs(time.caller, await this.#left(time));
    time.check();
    if (this.#isStopped) throw time.timeoutError();
    const isFull = this.#sizeOf(time.caller) >= MAX_WAITING_OF_CALLER;
    if (isFull || waitMs > Math.min(patienceMs, time.remainingMs())) throw rateLimited(waitMs);
    return await this.#wait(time, task);
  }

  /** Ends the requests that wait with `PLATFORM_TIMEOUT`. */
  stop(): void {
    this.#isStopped = true;
    this.#refuseAll(({ time }) => time.timeoutError());
    this.#wake();
  }

  #sizeOf(caller: Caller): number {
    return this.#waiting.get(caller)?.size ?? 0;
  }

  /**
   * Milliseconds until the caller has left enough to the others, after `waiting` of its own requests. `left` requests can go out
   * at once then; a negative number says how many refills are missing.
   */
  #waitForShareMs(caller: Caller, left: number, waiting = 0): number {
    const { refillEveryMs } = this.#rate;
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
    this.#refilledAt.set(caller, (this.#refilledAt.get(caller) ?? now) + this.#rate.refillEveryMs);
  }

  async #left(time: CallTime): Promise<number> {
    try {
      return await time.orEnd(this.#bucket.left());
    } catch (error) {
      throw isDomainError(error) ? error : rateUnavailable(error);
    }
  }

  /** How long one request more of the caller would wait. */
  #foreseeMs(caller: Caller, left: number): number {
    const { spacingMs, refillEveryMs } = this.#rate;
    const own = this.#sizeOf(caller);
    // Callers before this one, and all if nothing of this one waits yet, have a turn more.
    let [ahead, turns] = [own, own + 1];
    for (const [other, { size }] of this.#waiting) {
      if (other === caller) turns = own;
      else if (this.#waitForShareMs(other, left) === 0) ahead += Math.min(size, turns);
    }
    const waitForShare = this.#waitForShareMs(caller, left - ahead, own);
    return Math.max(ahead * spacingMs, (1 - left + ahead) * refillEveryMs, waitForShare);
  }

  /** The first caller's request that may go. */
  #first(left: number): Waiting | undefined {
    for (const [caller, [request]] of this.#waiting) {
      if (this.#waitForShareMs(caller, left) === 0) return request;
    }
    return undefined;
  }

  #remove(request: Waiting): void {
    const { caller } = request.time;
    const own = this.#waiting.get(caller);
    own?.delete(request);
    if (own?.size === 0) this.#waiting.delete(caller);
  }

  #refuseAll(errorOf: (request: Waiting) => unknown): void {
    const all = [...this.#waiting.values()].flatMap((own) => [...own]);
    this.#waiting.clear();
    for (const request of all) request.refuse(errorOf(request));
  }

  /** Lets requests out for as long as one waits. */
  async #work(): Promise<void> {
    this.#wake();
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      // A timer before each, so that what the last answer says about the endpoint counts for the next request.
      for (let waitMs = 0; this.#waiting.size > 0; waitMs = await this.#letOut()) await this.#pause(waitMs);
    } catch (error) {
      this.#refuseAll(() => rateUnavailable(error));
    } finally {
      this.#isWorking = false;
    }
  }

  /** Lets one request out if it may go. Returns after how many milliseconds to try again. */
  async #letOut(): Promise<number> {
    const { concurrency, refillEveryMs } = this.#rate;
    if (this.#running >= concurrency) return Number.POSITIVE_INFINITY;
    const left = await this.#bucket.left();
    if (this.#first(left) === undefined) return Math.min(refillEveryMs, LOOK_AGAIN_MS);
    const waitMs = await this.#bucket.take();
    if (waitMs > 0) return waitMs;
    // Whose turn it is is decided when it has come, so that no newcomer is behind.
    const request = this.#first(left);
    if (request === undefined) return 0;
    const { caller } = request.time;
    if (caller !== undefined) this.#used(caller);
    this.#running += 1;
    void request.begin().then(() => {
      this.#running -= 1;
      this.#wake();
    });
    const others = this.#waiting.get(caller);
    // Behind the other callers.
    if (others !== undefined && this.#waiting.delete(caller)) this.#waiting.set(caller, others);
    return 0;
  }

  /** Resolves after a time, or when a request comes or ends. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.min(Math.ceil(ms), LOOK_AGAIN_MS)) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #wait<T>(time: CallTime, task: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        time.signal.removeEventListener('abort', timeOut);
        this.#remove(request);
      };
      const request: Waiting = {
        time,
        async begin() {
          leave();
          await task().then(resolve, reject);
        },
        refuse(error) {
          leave();
          reject(error);
        },
      };
      const timeOut = (): void => request.refuse(time.timeoutError());
      time.signal.addEventListener('abort', timeOut);
      this.#waiting.set(time.caller, (this.#waiting.get(time.caller) ?? new Set()).add(request));
      void this.#work();
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

function rateUnavailable(cause: unknown): DomainError {
  return new DomainError(
    'PLATFORM_UNAVAILABLE',
    'The rate shared between processes cannot be checked just now; try again later.',
    { details: { reason: 'rate-limit-unavailable' }, retryAfterSeconds: STORE_RETRY_SECONDS, cause },
  );
}

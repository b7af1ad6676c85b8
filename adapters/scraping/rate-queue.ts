/** The requests that wait for one rate: callers take turns, however much each has waiting. */
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
const STORE_RETRY_SECONDS = 5;

export class RateQueue {
  readonly #bucket: Bucket;
  readonly #rate: Rate;
  /** The requests of each caller; the first caller has the next turn. */
  readonly #waiting = new Map<Caller, Set<Waiting>>();
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
      else ahead += Math.min(size, turns);
    }
    return Math.max(ahead * spacingMs, (1 - left + ahead) * refillEveryMs);
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
    if (this.#running >= this.#rate.concurrency) return Number.POSITIVE_INFINITY;
    if (this.#waiting.size === 0) return 0;
    const waitMs = await this.#bucket.take();
    if (waitMs > 0) return waitMs;
    // Whose turn it is is decided when it has come, so that no newcomer is behind.
    const [[caller, request] = []] = [...this.#waiting].map(([each, [one]]) => [each, one] as const);
    if (request === undefined) return 0;
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
      const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.ceil(ms)) : undefined;
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

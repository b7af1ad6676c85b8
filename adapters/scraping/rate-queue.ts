/**
 * Lets requests through at one rate. Bottleneck says when the next may go, here or over all processes. This queue says whose
 * it is, so that Bottleneck holds at most one turn that nobody uses yet.
 */
import Bottleneck from 'bottleneck';
import { DomainError } from '../../core/errors.ts';
import { startTimer } from '../../core/long-timer.ts';
import type { CallTime } from './deadline.ts';
import type { TurnLimiter } from './local-limiter.ts';
import { createRateShares } from './rate-shares.ts';
import { TurnQueue } from './turn-queue.ts';
import type { Rate } from './types.ts';

export interface RateQueue {
  /** See `Pacer.run`. */
  run<T>(time: CallTime, task: () => Promise<T>, patienceMs: number): Promise<T>;
  /** Ends the requests that wait with `PLATFORM_TIMEOUT`. */
  stop(): Promise<void>;
}

export interface RateQueueOptions {
  readonly limiter: TurnLimiter;
  readonly rate: Rate;
  /** The limiter is shared between processes by a store, which may be out of reach. */
  readonly isShared: boolean;
  /** Requests of one caller that wait; more are refused. */
  readonly maxWaitingOfCaller?: number;
  /** Requests of all callers that wait; more are refused. */
  readonly maxWaiting?: number;
}

interface Waiting {
  /** Settles the caller's promise; never rejects. */
  readonly begin: () => Promise<void>;
  readonly refuse: (error: unknown) => void;
  readonly time: CallTime;
}

const MAX_WAITING_OF_CALLER = 1_000;
const MAX_WAITING = 5_000;
/** How often to check whether a caller that waits for its share may go: other processes use the rate as well. */
const LOOK_AGAIN_MS = 1_000;
/** How long the shared store may take to answer. */
const STORE_PATIENCE_MS = 3_000;
const STORE_RETRY_SECONDS = 5;
/** A turn taken by a process that then died is given back after this long; far longer than any request takes. */
const SHARED_TURN_MS = 120_000;

export function createRateQueue(options: RateQueueOptions): RateQueue {
  const { limiter, rate, isShared, maxWaiting = MAX_WAITING, maxWaitingOfCaller = MAX_WAITING_OF_CALLER } = options;
  const shares = createRateShares(rate.refillEveryMs);
  const waiting = new TurnQueue<Waiting>();
  let isTaking = false;
  let wake = (): void => undefined;

  /** How many requests may go out at once; counts a turn that was taken for the queue and not used yet. */
  async function available(time?: CallTime): Promise<number> {
    const answer = limiter.currentReservoir();
    const reservoir = (await (isShared ? answerOfStore(answer, time) : answer)) ?? 0;
    return reservoir + limiter.counts().RUNNING;
  }

  function mayGo(left: number): (caller: string | undefined) => boolean {
    return (caller) => shares.waitMs(caller, left) === 0;
  }

  /** How long one request more of the caller would wait. */
  function waitMsOf(caller: string | undefined, free: number): number {
    const ahead = waiting.ahead(caller, mayGo(free));
    const left = free - ahead;
    const forRate = Math.max(ahead * rate.spacingMs, (1 - left) * rate.refillEveryMs);
    return Math.max(forRate, shares.waitMs(caller, left, waiting.sizeOf(caller)));
  }

  /** Takes turns for as long as somebody waits. */
  async function takeTurns(): Promise<void> {
    wake();
    if (isTaking) return;
    isTaking = true;
    try {
      while (waiting.size > 0) {
        const free = await available();
        if (waiting.some(mayGo(free))) await takeTurn(free);
        else await lookAgain();
      }
    } catch (error) {
      const isStopped = error instanceof Bottleneck.BottleneckError;
      for (const { refuse, time } of waiting.clear()) refuse(isStopped ? time.timeoutError() : storeFailed(error));
    } finally {
      isTaking = false;
    }
  }

  /** Resolves when the turn has come. Who uses it is decided then, so that a caller who comes meanwhile is not behind. */
  function takeTurn(free: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      limiter
        .schedule(isShared ? { expiration: SHARED_TURN_MS } : {}, async () => {
          const next = waiting.next(mayGo(free));
          resolve();
          if (next !== undefined) await next.begin();
          else await limiter.incrementReservoir(1);
        })
        .catch(reject);
    });
  }

  /** Resolves after a refill or when another request comes. */
  async function lookAgain(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(rate.refillEveryMs, LOOK_AGAIN_MS));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wake = () => undefined;
  }

  /** Settles as the task does, which does not wait for the limiter to note it: a shared one may be out of reach by then. */
  function inTurn<T>(time: CallTime, task: () => Promise<T>, patienceMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        stopTimer();
        time.signal.removeEventListener('abort', leave);
      };
      const request: Waiting = {
        time,
        async begin() {
          end();
          shares.used(time.caller);
          await task().then(resolve, reject);
        },
        refuse(error) {
          end();
          reject(error);
        },
      };
      const leave = (): void => {
        waiting.remove(time.caller, request);
        request.refuse(time.timeoutError());
      };
      // Others may have come before it, so that it waits for longer than was foreseen.
      const giveUp = (): void => {
        waiting.remove(time.caller, request);
        available(time).then((free) => request.refuse(rateLimited(waitMsOf(time.caller, free))), request.refuse);
      };
      const stopTimer = startTimer(giveUp, patienceMs);
      time.signal.addEventListener('abort', leave);
      waiting.add(time.caller, request);
      void takeTurns();
    });
  }

  return {
    async run(time, task, patienceMs) {
      const patientUntil = performance.now() + patienceMs;
      const waitMs = waitMsOf(time.caller, await available(time));
      time.check();
      const patience = patientUntil - performance.now();
      const isFull = waiting.size >= maxWaiting || waiting.sizeOf(time.caller) >= maxWaitingOfCaller;
      if (isFull || waitMs > Math.min(patience, time.remainingMs())) throw rateLimited(waitMs);
      return await inTurn(time, task, patience);
    },
    async stop() {
      for (const { refuse, time } of waiting.clear()) refuse(time.timeoutError());
      wake();
      // A shared limiter ends with its connection. To stop it here would wait for Redis.
      if (isShared) return;
      await limiter.stop().catch(() => undefined);
    },
  };
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

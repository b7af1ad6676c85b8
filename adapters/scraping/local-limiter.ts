/** The rate of one process. Bottleneck's own local limiter goes by the wall clock: set back an hour, it lets nothing out for an hour. */
import { startTimer } from '../../core/long-timer.ts';
import type { Rate } from './types.ts';

/** Lets requests out at one rate, one call of `turn` after the other. */
export interface TurnLimiter {
  /** Requests that may go out now. */
  free(): Promise<number>;
  /** Begins the task when the rate allows it, and resolves then. A task that is undefined by then uses up nothing. */
  turn(task: () => Promise<void> | undefined): Promise<void>;
  /** Ends the wait of a turn: its task is asked for at once. */
  stop(): void;
}

export function createLocalLimiter({ burst, refillEveryMs, spacingMs, concurrency }: Rate): TurnLimiter {
  let reservoir = burst;
  let refilledAt = performance.now();
  let nextAt = 0;
  let busy = 0;
  let isStopped = false;
  let wake = (): void => undefined;

  function refill(): void {
    const refills = Math.floor((performance.now() - refilledAt) / refillEveryMs);
    refilledAt += refills * refillEveryMs;
    reservoir = Math.min(burst, reservoir + refills);
  }

  function waitMs(): number {
    refill();
    if (isStopped) return 0;
    if (busy >= concurrency) return Number.POSITIVE_INFINITY;
    const readyAt = reservoir < 1 ? Math.max(nextAt, refilledAt + refillEveryMs) : nextAt;
    return Math.ceil(readyAt - performance.now());
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stopTimer = Number.isFinite(ms) ? startTimer(resolve, ms) : () => undefined;
      wake = () => {
        stopTimer();
        resolve();
      };
    });
  }

  return {
    async free() {
      refill();
      return reservoir;
    },
    async turn(task) {
      // Waits for a timer each time, so that what the last answer says about the endpoint counts for the next request.
      do await wait(waitMs());
      while (waitMs() > 0);
      const running = task();
      if (running === undefined) return;
      busy += 1;
      reservoir -= 1;
      nextAt = performance.now() + spacingMs;
      void running.finally(() => {
        busy -= 1;
        wake();
      });
    },
    stop() {
      isStopped = true;
      wake();
    },
  };
}

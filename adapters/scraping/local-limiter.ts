/** The rate of one process. Bottleneck's own local limiter goes by the wall clock: set back an hour, it lets nothing out for an hour. */
import Bottleneck from 'bottleneck';
import { startTimer } from '../../core/long-timer.ts';
import type { Rate } from './types.ts';

/** What of a Bottleneck is used. */
export interface TurnLimiter {
  /** Requests that may be taken now. */
  currentReservoir(): Promise<number | null>;
  /** `RUNNING`: taken, and waiting for their spacing. */
  counts(): { readonly RUNNING: number };
  /** Runs the task at its turn. @throws BottleneckError if the limiter is stopped before */
  schedule(options: { readonly expiration?: number }, task: () => Promise<void>): Promise<void>;
  /** Gives back what was taken and not used. */
  incrementReservoir(by: number): Promise<unknown>;
  /** Refuses what waits. */
  stop(): Promise<void>;
}

interface Turn {
  readonly task: () => Promise<void>;
  readonly over: PromiseWithResolvers<void>;
}

export function createLocalLimiter({ burst, refillEveryMs, spacingMs, concurrency }: Rate): TurnLimiter {
  const waiting: Turn[] = [];
  /** Turns that were taken and wait for their spacing, and what stops their timers. */
  const spaced = new Map<Turn, () => void>();
  let reservoir = burst;
  let refilledAt = performance.now();
  let nextAt = 0;
  let busy = 0;
  let isStopped = false;
  let stopTimer = () => {};

  function refill(): void {
    const refills = Math.floor((performance.now() - refilledAt) / refillEveryMs);
    refilledAt += refills * refillEveryMs;
    reservoir = Math.min(burst, reservoir + refills);
  }

  function takeTurns(): void {
    stopTimer();
    refill();
    while (busy < concurrency && reservoir >= 1) {
      const turn = waiting.shift();
      if (turn === undefined) return;
      take(turn);
    }
    if (waiting.length === 0 || busy >= concurrency) return;
    stopTimer = startTimer(takeTurns, Math.ceil(refilledAt + refillEveryMs - performance.now()));
  }

  function take(turn: Turn): void {
    busy += 1;
    reservoir -= 1;
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + spacingMs;
    spaced.set(
      turn,
      startTimer(() => begin(turn), Math.ceil(at - now)),
    );
  }

  function begin(turn: Turn): void {
    spaced.delete(turn);
    const { task, over } = turn;
    void task()
      .then(over.resolve, over.reject)
      .then(() => {
        busy -= 1;
        takeTurns();
      });
  }

  return {
    async currentReservoir() {
      refill();
      return reservoir;
    },
    counts: () => ({ RUNNING: spaced.size }),
    schedule(_options, task) {
      const over = Promise.withResolvers<void>();
      if (isStopped) over.reject(stopped());
      else waiting.push({ task, over });
      takeTurns();
      return over.promise;
    },
    async incrementReservoir(by) {
      reservoir = Math.min(burst, reservoir + by);
      takeTurns();
    },
    async stop() {
      isStopped = true;
      stopTimer();
      for (const stopSpacing of spaced.values()) stopSpacing();
      for (const { over } of [...spaced.keys(), ...waiting.splice(0)]) over.reject(stopped());
      spaced.clear();
    },
  };
}

function stopped(): Error {
  return new Bottleneck.BottleneckError('This limiter has been stopped.');
}

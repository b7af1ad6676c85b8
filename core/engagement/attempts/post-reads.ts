/** Reads of posts that verifications wait for. */
import type { Clock } from '../../ports/clock.ts';
import { patiently } from '../challenge-data/wait.ts';

/** Reads the platform into storage. Ends when storage holds the result; rejects with the platform's failure. */
export type Refresh = (challengeId: number, options: RefreshOptions) => Promise<unknown>;

export interface RefreshOptions {
  readonly signal: AbortSignal;
  /** A reading under way that began earlier is not enough. */
  readonly freshSince: Date;
  /** A reading that began earlier, and stands still at what cannot be read, starts again at the top. */
  readonly restartBefore: Date;
}

export interface PostReads {
  /**
   * Reads the post of a challenge. If a reading began before `freshSince`, waits for it instead and returns false. Storage may
   * then hold what the caller looks for, so look there before the next call.
   * @throws what `refresh` throws, and the signal's reason
   */
  read(challengeId: number, refresh: Refresh, options: RefreshOptions): Promise<boolean>;
}

/** Posts that are read at a time: more would only share the rates of the platforms, and the memory. */
const MOST_POSTS = 4;

interface Reading {
  /** Null while it waits for its turn. */
  startedAt: Date | null;
  readonly turn: Promise<void>;
  /** Verifications that take part. */
  users: number;
  readonly over: PromiseWithResolvers<void>;
}

/**
 * Lets many verifications run at once without reading many posts at once. All verifications at one post take part in one
 * reading; the posts take turns in the order in which they were first asked for.
 */
export function createPostReads(clock: Clock, most: number = MOST_POSTS): PostReads {
  const underWay = new Map<number, Reading>();
  const waiting: (() => void)[] = [];
  let free = most;

  function takeTurn(): Promise<void> {
    if (free === 0) return new Promise((resolve) => waiting.push(resolve));
    free -= 1;
    return Promise.resolve();
  }

  function endTurn(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  function begin(challengeId: number): Reading {
    const turn = takeTurn().then(() => {
      reading.startedAt = clock.now();
    });
    const reading: Reading = { startedAt: null, turn, users: 0, over: Promise.withResolvers() };
    underWay.set(challengeId, reading);
    return reading;
  }

  function leave(challengeId: number, reading: Reading): void {
    reading.users -= 1;
    if (reading.users > 0) return;
    underWay.delete(challengeId);
    reading.over.resolve();
    // Also if nobody waits for the turn any more.
    void reading.turn.then(endTurn);
  }

  return {
    async read(challengeId, refresh, options) {
      const { signal, freshSince } = options;
      const current = underWay.get(challengeId);
      if (current?.startedAt && current.startedAt < freshSince) {
        await patiently(current.over.promise, { signal }, clock);
        return false;
      }
      const reading = current ?? begin(challengeId);
      reading.users += 1;
      try {
        await patiently(reading.turn, { signal }, clock);
        await refresh(challengeId, options);
        return true;
      } finally {
        leave(challengeId, reading);
      }
    },
  };
}

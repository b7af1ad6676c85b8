/** Reads of posts that verifications wait for. */
import type { Clock } from '../../ports/clock.ts';
import { untilAborted } from '../../until-aborted.ts';
import type { SweepOptions } from '../challenge-data/sweep-comments.ts';

/** Reads the platform into storage. Ends when storage holds the result; rejects with the platform's failure. */
export type Refresh = (challengeId: number, options: RefreshOptions) => Promise<unknown>;

export type RefreshOptions = Required<Omit<SweepOptions, 'caller'>>;

export interface PostReads {
  /**
   * Reads the post of a challenge, together with all that want it at the same time. Waits and returns false if a reading under way
   * began before `freshSince`, or if the one who began it gave up. Storage may then hold what the caller looks for, so look there
   * before the next call.
   * @throws what `refresh` throws, and the signal's reason
   */
  read(challengeId: number, refresh: Refresh, options: RefreshOptions): Promise<boolean>;
}

interface Reading {
  readonly startedAt: Date;
  /** Of the one who began it. */
  readonly signal: AbortSignal;
  readonly result: Promise<unknown>;
}

/** Lets many verifications run at once without reading one post several times at once. */
export function createPostReads(clock: Clock): PostReads {
  const underWay = new Map<number, Reading>();
  return {
    async read(challengeId, refresh, options) {
      const { signal, freshSince } = options;
      const current = underWay.get(challengeId);
      if (current === undefined) {
        const startedAt = clock.now();
        const result = refresh(challengeId, options);
        underWay.set(challengeId, { startedAt, signal, result });
        await result.finally(() => underWay.delete(challengeId));
        return true;
      }
      const isShared = () => current.startedAt >= freshSince && !current.signal.aborted;
      const over = current.result.catch((error: unknown) => {
        if (isShared()) throw error;
      });
      await untilAborted(over, signal);
      return isShared();
    },
  };
}

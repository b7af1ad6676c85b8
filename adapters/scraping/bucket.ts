/** A rate as a bucket of requests that fills up again. */
import type { Rate } from './types.ts';

/** All who share a bucket, in this process or in others, share what is left in it. */
export interface Bucket {
  /** Requests that are left now. The least time between two is not looked at. */
  left(): Promise<number>;
  /** Takes a request and returns 0, or returns the milliseconds to wait before asking again. */
  take(): Promise<number>;
}

/** The bucket of one process. It goes by a clock that nobody sets. */
export function createLocalBucket({ burst, refillEveryMs, spacingMs }: Rate): Bucket {
  let fullAt = 0;
  let nextAt = 0;
  const missing = (now: number): number => Math.max(0, fullAt - now) / refillEveryMs;
  return {
    // Times are fractions: what is a refill's millionth part less is as good as refilled.
    left: async () => Math.floor(burst - missing(performance.now()) + 1e-6),
    async take() {
      const now = performance.now();
      const waitMs = Math.max(nextAt - now, (missing(now) - burst + 1) * refillEveryMs);
      if (waitMs > 1e-3) return waitMs;
      fullAt = Math.max(fullAt, now) + refillEveryMs;
      nextAt = now + spacingMs;
      return 0;
    },
  };
}

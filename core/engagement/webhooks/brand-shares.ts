/** Room that brands share equally: those that use it, and those that were turned away lately. */
import { type Clock, monotonicMs } from '../../ports/clock.ts';

/** A brand that was turned away has its part kept for so long. */
const CLAIM_MS = 30_000;

interface Share {
  underWay: number;
  waiting: number;
  /** Of `monotonicMs`. */
  refusedAt: number;
}

export interface BrandShares {
  /** Whether the brand may start one more request, if there may be `limit` of all brands. It has a part from then on. */
  admits(brandId: number, limit: number): boolean;
  /** The brand was turned away: its part is kept for a while. */
  refuse(brandId: number): void;
  /** A request of the brand has begun (1) or is over (-1). */
  count(brandId: number, by: 1 | -1): void;
  /** Counts a request of the brand that starts (1) or stops (-1) waiting for its receiver. It takes no room, and the brand keeps its share. */
  countWaiting(brandId: number, by: 1 | -1): void;
  /** Takes their part from brands that neither send nor wait. */
  forgetIdle(): void;
  /** Whether no brand has a part. */
  isEmpty(): boolean;
}

export function createBrandShares(clock: Clock): BrandShares {
  const shares = new Map<number, Share>();
  let total = 0;

  function shareOf(brandId: number): Share {
    const share = shares.get(brandId) ?? { underWay: 0, waiting: 0, refusedAt: Number.NEGATIVE_INFINITY };
    shares.set(brandId, share);
    return share;
  }

  function forget(brandId: number, { underWay, waiting, refusedAt }: Share, since: number): void {
    if (underWay === 0 && waiting === 0 && refusedAt <= since) shares.delete(brandId);
  }

  return {
    admits(brandId, limit) {
      const share = shareOf(brandId);
      const most = Math.max(1, Math.floor(limit / shares.size));
      return total < limit && share.underWay < most;
    },
    refuse(brandId) {
      shareOf(brandId).refusedAt = monotonicMs(clock);
    },
    count(brandId, by) {
      const share = shareOf(brandId);
      total += by;
      share.underWay += by;
      if (by === 1) share.refusedAt = Number.NEGATIVE_INFINITY;
      else forget(brandId, share, Number.NEGATIVE_INFINITY);
    },
    countWaiting(brandId, by) {
      shareOf(brandId).waiting += by;
    },
    forgetIdle() {
      const since = monotonicMs(clock) - CLAIM_MS;
      for (const [brandId, share] of shares) forget(brandId, share, since);
    },
    isEmpty: () => shares.size === 0,
  };
}

/** What each caller has used of a rate lately, so that none of them uses up what all share. */
export interface RateShares {
  /**
   * Milliseconds until the caller may have a request more, after `waiting` of its own; 0 if it may now. `left` requests can
   * go out at once then; a negative number says how many refills are missing.
   */
  waitMs(caller: string | undefined, left: number, waiting?: number): number;
  used(caller: string | undefined): void;
}

/** A caller may have used three times what it leaves to the others: of a whole burst, three quarters. */
const USED_BY_LEFT = 3;

interface Debt {
  amount: number;
  /** When the last whole refill was taken off. */
  at: number;
}

/** What a caller has used is forgotten as the rate is refilled, one request at a time. Counted in this process. */
export function createRateShares(refillEveryMs: number, now: () => number = () => performance.now()): RateShares {
  const debts = new Map<string, Debt>();

  function debtOf(caller: string): number {
    const debt = debts.get(caller);
    if (debt === undefined) return 0;
    const refills = Math.floor((now() - debt.at) / refillEveryMs);
    if (refills >= debt.amount) {
      debts.delete(caller);
      return 0;
    }
    debt.amount -= refills;
    debt.at += refills * refillEveryMs;
    return debt.amount;
  }

  return {
    waitMs(caller, left, waiting = 0) {
      if (caller === undefined) return 0;
      const used = debtOf(caller) + waiting;
      if (used === 0 || used < USED_BY_LEFT * left) return 0;
      // A refill gives the rate one request more and takes one from what the caller has used.
      return (Math.floor((used - USED_BY_LEFT * left) / (USED_BY_LEFT + 1)) + 1) * refillEveryMs;
    },
    used(caller) {
      if (caller === undefined) return;
      for (const other of debts.keys()) debtOf(other);
      const debt = debts.get(caller) ?? { amount: 0, at: now() };
      debt.amount += 1;
      debts.set(caller, debt);
    },
  };
}

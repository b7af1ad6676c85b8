/** The accounts of one platform: each has a number that stays, and a handle that it can give up and another can take. */
import { hashText } from './seeded.ts';

export interface WorldAccount {
  readonly accountId: string;
  /** The handle that it was renamed to; null if it never was. */
  readonly renamedTo: string | null;
}

export interface Accounts {
  /** The account that has the handle now; without regard to case. Every handle has one. */
  of(handle: string): WorldAccount;
  /** Gives the account of the handle this number. */
  setNumber(handle: string, accountId: string): void;
  /** Gives the account another handle. The former one is free for another account. @throws RangeError if `to` is in use */
  rename(from: string, to: string): void;
}

export function createAccounts(): Accounts {
  const byHandle = new Map<string, { accountId: string; renamedTo: string | null }>();
  let freed = 0;

  function of(handle: string, name = handle) {
    const key = handle.toLowerCase();
    const known = byHandle.get(key) ?? { accountId: accountIdOf(name), renamedTo: null };
    byHandle.set(key, known);
    return known;
  }

  return {
    of,
    setNumber(handle, accountId) {
      of(handle).accountId = accountId;
    },
    rename(from, to) {
      if (byHandle.has(to.toLowerCase())) throw new RangeError(`The handle ${to} is in use: rename its account first.`);
      const account = of(from);
      account.renamedTo = to;
      byHandle.set(to.toLowerCase(), account);
      byHandle.delete(from.toLowerCase());
      freed += 1;
      of(from, `${from} ${freed}`);
    },
  };
}

/** The number of the first account of a handle. */
export function accountIdOf(handle: string): string {
  return String(6_900_000_000_000_000_000n + BigInt(hashText(`account ${handle.toLowerCase()}`)));
}

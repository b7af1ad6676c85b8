import { hashText } from './seeded.ts';

/** An account has a number that stays, and a handle that it can give up and another can take. */
export interface WorldAccount {
  accountId: string;
  handle: string;
}

/** The accounts of one platform. */
export class Accounts {
  readonly #byHandle = new Map<string, WorldAccount>();
  #freed = 0;

  /** The account that has the handle now; without regard to case. Every handle has one. */
  of(handle: string): WorldAccount {
    const key = handle.toLowerCase();
    const account = this.#byHandle.get(key) ?? { handle, accountId: accountIdOf(handle) };
    this.#byHandle.set(key, account);
    return account;
  }

  /** Gives the account another handle. The former one is free for another account. @throws RangeError if `to` is in use */
  rename(from: string, to: string): void {
    if (this.#byHandle.has(to.toLowerCase()))
      throw new RangeError(`The handle ${to} is in use: rename its account first.`);
    const account = this.of(from);
    account.handle = to;
    this.#freed += 1;
    this.#byHandle.set(to.toLowerCase(), account);
    this.#byHandle.set(from.toLowerCase(), { handle: from, accountId: accountIdOf(`${from} ${this.#freed}`) });
  }
}

/** The number of the first account of a handle. */
export function accountIdOf(handle: string): string {
  return String(6_900_000_000_000_000_000n + BigInt(hashText(`account ${handle.toLowerCase()}`)));
}

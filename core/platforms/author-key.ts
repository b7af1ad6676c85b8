import { normaliseHandle } from './handle.ts';

/**
 * Names an account that is looked for among authors of comments or likers. If the platform's number of the account is known, that
 * number behind `#`; else the normalised handle. No handle begins with `#`.
 */
export type AuthorKey = string;

const MARK = '#';

/** The handle of accounts that are shown by number only. */
export const UNNAMED: AuthorKey = '';

/** The key of an account whose number is known. */
export function numberKey(accountId: string): AuthorKey {
  return `${MARK}${accountId}`;
}

/** The number that a key stands for; null if it is a handle. */
export function numberIn(key: AuthorKey): string | null {
  return key.startsWith(MARK) ? key.slice(MARK.length) : null;
}

/** The keys, by what they are. */
export function splitKeys(keys: readonly AuthorKey[]): {
  readonly handles: readonly string[];
  readonly numbers: readonly string[];
} {
  const numbers = keys.flatMap((key) => numberIn(key) ?? []);
  return { numbers, handles: numbers.length === 0 ? keys : keys.filter((key) => numberIn(key) === null) };
}

/** The keys under which an author is found: by handle if it is shown, and by number if it is told. */
export function keysOf(handle: string, accountId: string | null | undefined): readonly AuthorKey[] {
  return [...(accountId == null ? [] : [numberKey(accountId)]), ...(handle === '' ? [] : [handle])];
}

/** Those of the accounts that were found, by normalised handle or number. */
export function foundAmong<Found>(
  accounts: readonly AuthorKey[],
  found: ReadonlyMap<AuthorKey, Found>,
): ReadonlyMap<AuthorKey, Found> {
  return new Map(
    accounts.flatMap((account) => {
      const one = found.get(numberIn(account) === null ? normaliseHandle(account) : account);
      return one === undefined ? [] : [[account, one] as const];
    }),
  );
}

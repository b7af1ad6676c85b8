import type { PlatformComment } from '../ports/platform.ts';
import { normaliseHandle } from './handle.ts';

/**
 * Names an account that is looked for among authors of comments or likers. If the platform's number of the account is known, that
 * number behind `#`; or the id by which an app knows it behind `~`; else the normalised handle. No handle begins with these.
 */
export type AuthorKey = string;

const MARK = '#';
const SCOPED = '~';

/** The handle of accounts that are shown by number only. */
export const UNNAMED: AuthorKey = '';

/** The key of an account whose number is known. */
export function numberKey(accountId: string): AuthorKey {
  return `${MARK}${accountId}`;
}

/** The key of an account that an app knows by this id (`PlatformComment.scopedAuthorId`). */
export function scopedKey(scopedId: string): AuthorKey {
  return `${SCOPED}${scopedId}`;
}

/** Whether two scoped ids are of two accounts: ids of different apps say nothing about each other. */
export function areOtherAccounts(one: string | null | undefined, other: string | null | undefined): boolean {
  const appOf = (id: string) => id.slice(0, id.indexOf('/') + 1);
  return one != null && other != null && one !== other && appOf(one) === appOf(other);
}

/** Keys, by what they are. */
export interface SplitKeys {
  /** Normalised. */
  readonly handles: readonly string[];
  readonly numbers: readonly string[];
  readonly scoped: readonly string[];
}

/** Parts keys by what they are. */
export function splitKeys(keys: readonly AuthorKey[]): SplitKeys {
  const of = (mark: string) => keys.flatMap((key) => (key.startsWith(mark) ? [key.slice(mark.length)] : []));
  const handles = keys.filter((key) => !key.startsWith(MARK) && !key.startsWith(SCOPED));
  return { handles: handles.map(normaliseHandle), numbers: of(MARK), scoped: of(SCOPED) };
}

/** By what the author of a comment is known. */
export function authorKeys({
  username = '',
  authorId,
  scopedAuthorId,
}: Partial<Pick<PlatformComment, 'username' | 'authorId' | 'scopedAuthorId'>>): readonly AuthorKey[] {
  const handle = normaliseHandle(username);
  return [
    ...(authorId == null ? [] : [numberKey(authorId)]),
    ...(handle === '' ? [] : [handle]),
    ...(scopedAuthorId == null ? [] : [scopedKey(scopedAuthorId)]),
  ];
}

/** Those of the accounts that were found, by normalised handle or number. */
export function foundAmong<Found>(
  accounts: readonly AuthorKey[],
  found: ReadonlyMap<AuthorKey, Found>,
): ReadonlyMap<AuthorKey, Found> {
  return new Map(
    accounts.flatMap((account) => {
      const isId = account.startsWith(MARK) || account.startsWith(SCOPED);
      const one = found.get(isId ? account : normaliseHandle(account));
      return one === undefined ? [] : [[account, one] as const];
    }),
  );
}

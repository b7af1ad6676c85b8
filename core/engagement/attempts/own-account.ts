/** What a match tells about the link that it was found by: the number of its account, and the handle that the account has now. */

import { askInPieces } from '../../bulk.ts';
import { gathered } from '../../gather.ts';
import { type AuthorKey, authorKeys } from '../../platforms/author-key.ts';
import { isPlainHandle, normaliseHandle } from '../../platforms/handle.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { NewComment, StoredComment } from '../challenge-data/comment.ts';
import type { SweepDeps } from '../challenge-data/sweep-deps.ts';
import { isByHandle, knownAccountId, type SocialAccount } from '../creators/creator.ts';
import type { Needs } from '../use-case-parts.ts';
import { linksOfAuthors } from './candidates.ts';
import { type LinkMatch, matchOf } from './matching.ts';

export type OwnAccountDeps = Needs<'creators' | 'audit', 'clock'>;

/**
 * Notes the number of each match by a link whose number is not known, and the id by which the app knows its account. Returns the
 * matches that stand: not those whose link is known by another one meanwhile, or has ended. Of two processes that match one link at
 * once, only one number is noted.
 */
export async function rememberAccounts<M extends LinkMatch>(
  { creators }: { readonly creators: Pick<Storage['creators'], 'rememberAccounts'> },
  matches: readonly M[],
): Promise<readonly M[]> {
  async function remember(which: 'scoped' | undefined, idOf: (match: M) => string | null): Promise<readonly M[]> {
    const told = new Map(matches.map((match) => [match, idOf(match)]));
    const unknown = [...told].flatMap(([{ link }, accountId]) =>
      accountId === null ? [] : [{ linkId: link.id, accountId }],
    );
    const noted = await askInPieces(unknown, (some) => creators.rememberAccounts(some, which));
    const known = new Map(noted);
    return matches.filter((match) => [null, known.get(match.link.id)].includes(told.get(match) ?? null));
  }
  const numbered = new Set(await remember(undefined, numberToNote));
  return (await remember('scoped', scopedIdToNote)).filter((match) => numbered.has(match));
}

const numberToNote = ({ link, match }: LinkMatch) => (knownAccountId(link) === null ? match.accountId : null);

/** Of a link with a number only if the comment has it too: the handle may have been another account's then (`learnScopedIds`). */
function scopedIdToNote({ link, match }: LinkMatch): string | null {
  const isSure = [null, match.accountId].includes(knownAccountId(link));
  return isSure && match.scopedId !== link.scopedAccountId ? match.scopedId : null;
}

/**
 * Notes the accounts of links of which only the handle is known, as a page of comments shows who has it now. Stored comments keep the handle
 * that they were stored with. Accounts and handles without any are left to their first match, and links that were made after
 * `readAt` to the next reading.
 */
export async function noteAccounts(
  deps: Pick<SweepDeps, 'comments' | 'creators'>,
  challenge: Challenge,
  page: readonly NewComment[],
  readAt: Date,
): Promise<void> {
  const shown = Map.groupBy(page, ({ username }) => normaliseHandle(username));
  const found = await linksOfAuthors(deps, challenge, page);
  const links = found.map(({ account }) => account).filter((link) => isByHandle(link) && link.connectedAt <= readAt);
  const shownOf = ({ platformUsername }: SocialAccount) => shown.get(platformUsername) ?? [];
  const keys = links.flatMap(shownOf).flatMap(authorKeys);
  const storedOf = (some: readonly AuthorKey[]) => deps.comments.ofAuthors(challenge.id, some, true);
  const stored = new Map(await askInPieces(keys, storedOf));
  const seen = links.flatMap((link) => {
    const own = shownOf(link);
    const known = own.flatMap(authorKeys).flatMap((key) => stored.get(key) ?? []);
    // The same comments: some came with ids before, and come without them now.
    const ids = new Set(own.map(({ platformCommentId }) => platformCommentId));
    const again = known.filter(({ platformCommentId }) => ids.has(platformCommentId));
    const told = [...ownSince(link, known), ...own, ...again].find(hasAccount);
    return known.length === 0 || told === undefined ? [] : [{ link, match: matchOf({ ...told, createdAt: readAt }) }];
  });
  await rememberAccounts(deps, seen);
}

const hasAccount = ({ authorId, scopedAuthorId: id }: NewComment) => (authorId ?? id) != null;

/**
 * Of stored comments those that were stored under the handle of a link since it was made, the first one first: they are the link's own,
 * also if somebody else has the handle now.
 */
export function ownSince(
  { platformUsername, connectedAt }: SocialAccount,
  stored: readonly StoredComment[],
): readonly StoredComment[] {
  return stored
    .filter(({ username, createdAt }) => normaliseHandle(username) === platformUsername && createdAt >= connectedAt)
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || one.id - other.id);
}

/** As `rememberAccounts`, whether a match stands; for matches of one moment the storage is asked together. */
export function createRemember(storage: Pick<Storage, 'creators'>) {
  const stands = gathered(async (matches: readonly LinkMatch[]) => {
    return new Map((await rememberAccounts(storage, matches)).map((match) => [match, true]));
  });
  return async (match: LinkMatch): Promise<boolean> => (await stands(match)) ?? false;
}

/** How a match is told of: by which handle, and what the history says besides. */
export interface NamedMatch {
  readonly handle: string;
  readonly note: string | null;
}

/**
 * Lets the handle of a proven link follow its account if the match shows it under another one, and records that in the audit log.
 * An asserted link keeps the handle that was asserted. A link that cannot follow keeps its handle: the number decides all the same.
 */
export async function followHandle(deps: OwnAccountDeps, { link, match }: LinkMatch): Promise<NamedMatch> {
  const { handle, seenAt } = match;
  const { platformUsername: former, platformAccountId: accountId } = link;
  // A comment that was stored before the link was made may show a handle of long ago.
  const isNewer = isPlainHandle(handle) && handle !== former && seenAt >= link.connectedAt;
  if (!isNewer) return { handle: former, note: null };
  const note = `@${former} is now @${handle}`;
  const followed = accountId === null ? null : await recorded(deps, link, { accountId, handle, seenAt });
  return { handle: followed === null ? former : handle, note };
}

/** As administrators' actions: no change without its entry. */
async function recorded(
  { storage: { creators, audit }, clock }: OwnAccountDeps,
  link: SocialAccount,
  seen: { readonly accountId: string; readonly handle: string; readonly seenAt: Date },
): Promise<SocialAccount | null> {
  const target = `creator:${link.creatorId}`;
  const entryId = await audit.append({
    at: clock.now(),
    actor: 'verification',
    role: 'admin',
    operation: 'followHandle',
    target,
    before: stateOf(link),
    requestId: `account-${link.id}`,
  });
  const followed = await creators.followHandle({ link, ...seen, now: clock.now() });
  await audit.conclude(
    entryId,
    followed === null
      ? { target, outcome: 'refused', error: 'CONFLICT', after: null }
      : { target, outcome: 'succeeded', error: null, after: stateOf(followed) },
  );
  return followed;
}

function stateOf({ id, platform, platformUsername, platformAccountId }: SocialAccount) {
  return { accounts: [{ id, platform, platformUsername, platformAccountId }] };
}

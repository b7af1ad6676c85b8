/**
 * Whether a creator has done what a challenge asks: the accounts of links against stored comment authors or likers. The number of
 * the account decides where it is known (`knownAccountId`), and the handle where it is not
 * (docs/decisions.md#verification).
 */
import { pieces } from '../../bulk.ts';
import { gathered } from '../../gather.ts';
import { type AuthorKey, areOtherAccounts } from '../../platforms/author-key.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { FoundLiker } from '../../ports/liker-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { LikersFetch, StoredComment } from '../challenge-data/comment.ts';
import { authorKeysOf, knownAccountId, type SocialAccount } from '../creators/creator.ts';
import type { MatchedComment } from './attempt.ts';

export interface Match {
  /** The handle that was found, normalised; empty if the platform shows only the number. */
  readonly handle: string;
  /** The number of the account that was found; null if the platform did not tell it. */
  readonly accountId: string | null;
  /** See `PlatformComment.scopedAuthorId`; null if the list did not tell it. */
  readonly scopedId: string | null;
  /** When the account was shown under the handle. */
  readonly seenAt: Date;
  /** The earliest comment of the author; null for a like. */
  readonly comment: MatchedComment | null;
}

/** A match, and the link whose account it is. */
export interface LinkMatch {
  readonly match: Match;
  readonly link: SocialAccount;
}

/** Most authors in one call of `findMatches`. */
export const MOST_AUTHORS = 1_000;

export type MatchingStorage = Pick<Storage, 'comments' | 'likers'>;

/**
 * Which of these authors (at most 1,000) have done what the challenge asks, as far as storage knows. That means: written a
 * comment or a reply, or liked the post according to the latest completed fetch of likers.
 */
export async function findMatches(
  storage: MatchingStorage,
  challenge: Challenge,
  authors: readonly AuthorKey[],
): Promise<ReadonlyMap<AuthorKey, Match>> {
  if (authors.length === 0) return new Map();
  if (challenge.action === 'like') {
    return await findLikes(
      storage,
      await storage.likers.findFetch({ challengeId: challenge.id, status: 'succeeded' }),
      authors,
    );
  }
  const found = await storage.comments.earliestByAuthors(challenge.id, authors, undefined, challenge.countHidden);
  return new Map([...found].map(([author, comment]) => [author, matchOf(comment)]));
}

/** Which of these authors (as for `findMatches`) are among the likers of one fetch; none without a fetch. */
export async function findLikes(
  storage: Pick<Storage, 'likers'>,
  fetch: LikersFetch | null,
  authors: readonly AuthorKey[],
): Promise<ReadonlyMap<AuthorKey, Match>> {
  if (fetch === null) return new Map();
  return likesIn(await storage.likers.among({ fetchId: fetch.id }, authors), fetch.startedAt ?? fetch.requestedAt);
}

/** Matches of likers that were shown at this time, or later. */
export function likesIn(likers: ReadonlyMap<AuthorKey, FoundLiker>, seenAt: Date): ReadonlyMap<AuthorKey, Match> {
  return new Map(
    [...likers].map(([author, { igUserId, username }]) => [
      author,
      { handle: normaliseHandle(username), accountId: igUserId, scopedId: null, seenAt, comment: null },
    ]),
  );
}

/**
 * The matches of links, by the id of the link. A link whose number is known may also match by its handle a comment without a number,
 * read before the link was made. The handle was this account's after it.
 */
export async function matchesOfLinks(
  storage: MatchingStorage,
  challenge: Challenge,
  links: readonly SocialAccount[],
): Promise<ReadonlyMap<number, Match>> {
  const matches = new Map<AuthorKey, Match>();
  const asked = new Set(links.flatMap(authorKeysOf));
  for (const some of pieces([...asked], MOST_AUTHORS)) {
    for (const [author, match] of await findMatches(storage, challenge, some)) matches.set(author, match);
  }
  const found = new Map(ofLinks(matches, links));
  const unmatched = links.filter((link) => knownAccountId(link) !== null && !found.has(link.id));
  const unnumbered = await findUnnumbered(storage, challenge, unmatched);
  for (const link of unmatched) {
    const match = unnumbered.get(link.platformUsername);
    if (match !== undefined && match.seenAt <= link.connectedAt && mayBeOf(link, match)) found.set(link.id, match);
  }
  return found;
}

/** Of each handle of these links the comment without a number that was read first. */
export async function findUnnumbered(
  { comments }: Pick<Storage, 'comments'>,
  { id, action, countHidden }: Pick<Challenge, 'id' | 'action' | 'countHidden'>,
  links: readonly Pick<SocialAccount, 'platformUsername'>[],
): Promise<ReadonlyMap<string, Match>> {
  const found = new Map<string, Match>();
  if (action === 'like') return found;
  const handles = new Set(links.map(({ platformUsername }) => platformUsername));
  for (const some of pieces([...handles], MOST_AUTHORS)) {
    const first = await comments.earliestByAuthors(id, some, 'unnumbered', countHidden);
    for (const [handle, comment] of first) found.set(handle, matchOf(comment));
  }
  return found;
}

/**
 * Finds the match of one creator: the earliest comment over all of the creator's links, or the first link that liked. For creators
 * of one moment the storage is asked together.
 */
export function createFindMatch(storage: MatchingStorage) {
  interface Asked {
    readonly challenge: Challenge;
    readonly links: readonly SocialAccount[];
  }
  const find = gathered(async (asked: readonly Asked[]) => {
    const byChallenge = [...Map.groupBy(asked, ({ challenge }) => challenge.id).values()];
    const found = byChallenge.map(async (own) => {
      const all = own.flatMap(({ links }) => links);
      const matches = own[0] && (await matchesOfLinks(storage, own[0].challenge, all));
      return own.map((one) => [one, matches ? earliestMatch(matches, one.links) : null] as const);
    });
    return new Map((await Promise.all(found)).flat());
  });
  return async (challenge: Challenge, links: readonly SocialAccount[]): Promise<LinkMatch | null> =>
    (await find({ challenge, links })) ?? null;
}

/** Of the matches of one creator's links, by the id of the link, the one with the earliest comment. */
export function earliestMatch(matches: ReadonlyMap<number, Match>, links: readonly SocialAccount[]): LinkMatch | null {
  let earliest: LinkMatch | null = null;
  for (const link of links) {
    const match = matches.get(link.id);
    if (match && (earliest === null || timeOf(match) < timeOf(earliest.match))) earliest = { match, link };
  }
  return earliest;
}

/** The matches of these links' authors, by the id of the link: of several of one link the one with the earliest comment. */
export function ofLinks(
  matches: ReadonlyMap<AuthorKey, Match>,
  links: readonly SocialAccount[],
): ReadonlyMap<number, Match> {
  return new Map(
    links.flatMap((link) => {
      const own = authorKeysOf(link).flatMap((key) => matches.get(key) ?? []);
      const [first] = own.filter((match) => mayBeOf(link, match)).sort((one, other) => timeOf(one) - timeOf(other));
      return first === undefined ? [] : [[link.id, first] as const];
    }),
  );
}

/** Not if the app knows the author, and the link's account, as two accounts: somebody else has the handle now. */
export function mayBeOf({ scopedAccountId }: SocialAccount, { scopedId }: Match): boolean {
  return !areOtherAccounts(scopedAccountId, scopedId);
}

function timeOf(match: Match): number {
  return match.comment?.commentedAt.getTime() ?? 0;
}

function matchOf(stored: StoredComment): Match {
  const { username, authorId, scopedAuthorId, createdAt, commentText, commentedAt, platformCommentId } = stored;
  return {
    handle: normaliseHandle(username),
    accountId: authorId ?? null,
    scopedId: scopedAuthorId ?? null,
    seenAt: createdAt,
    comment: { commentText, commentedAt, platformCommentId },
  };
}

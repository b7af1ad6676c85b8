/**
 * Whether a creator has done what a challenge asks: the accounts of links against stored comment authors or likers. The number of
 * the account decides where it is known (`knownAccountId`), and the handle where it is not
 * (docs/decisions.md#verification).
 */
import { askInPieces } from '../../bulk.ts';
import { gathered } from '../../gather.ts';
import { type AuthorKey, areOtherAccounts, authorKeys } from '../../platforms/author-key.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { FoundLiker } from '../../ports/liker-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { LikersFetch, NewComment, StoredComment } from '../challenge-data/comment.ts';
import { lastReading } from '../challenge-data/sweep-progress.ts';
import { authorKeysOf, isByHandle, knownAccountId, type SocialAccount } from '../creators/creator.ts';
import { earliestThatCounts } from '../rules/judge-comments.ts';
import type { Asked } from '../rules/unmet-rules.ts';
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
  /** The earliest comment of the author that meets the rules; null for a like. */
  readonly comment: MatchedComment | null;
}

/** A match, and the link whose account it is. */
export interface LinkMatch {
  readonly match: Match;
  readonly link: SocialAccount;
}

export interface MatchingStorage {
  readonly comments: Pick<
    Storage['comments'],
    'earliestByAuthors' | 'ofAuthors' | 'firstOfTexts' | 'knownAmong' | 'sweep'
  >;
  readonly likers: Pick<Storage['likers'], 'findFetch' | 'among'>;
}

/**
 * Which of these authors (at most 1,000) have done what the challenge asks, as far as storage knows. That means: written a
 * comment or a reply that meets the rules, or liked the post according to the latest completed fetch of likers.
 */
export async function findMatches(
  storage: MatchingStorage,
  asked: Asked,
  authors: readonly AuthorKey[],
): Promise<ReadonlyMap<AuthorKey, Match>> {
  const { challenge } = asked;
  if (authors.length === 0) return new Map();
  if (challenge.action === 'like') {
    return await findLikes(
      storage,
      await storage.likers.findFetch({ challengeId: challenge.id, status: 'succeeded' }),
      authors,
    );
  }
  const found = await earliestThatCounts(storage.comments, asked, authors);
  return new Map([...found].map(([author, comment]) => [author, matchOf(comment)]));
}

/** Which of these authors (as for `findMatches`) are among the likers of one fetch; none without a fetch. */
export async function findLikes(
  storage: Pick<MatchingStorage, 'likers'>,
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
 * read before the link was made. The handle was this account's after it. A comment that is another account's by now (`renamedSince`) is no
 * match.
 */
export async function matchesOfLinks(
  storage: MatchingStorage,
  asked: Asked,
  links: readonly SocialAccount[],
): Promise<ReadonlyMap<number, Match>> {
  const authors = links.flatMap(authorKeysOf);
  const matches = await askInPieces(authors, (some) => findMatches(storage, asked, some));
  const found = new Map(ofLinks(new Map(matches), links));
  const renamed = await renamedSince(storage, asked, links, found);
  for (const { id } of renamed) found.delete(id);
  const unmatched = links.filter((link) => knownAccountId(link) !== null && !found.has(link.id)).concat(renamed);
  const unnumbered = await findUnnumbered(storage, asked, unmatched);
  for (const link of unmatched) {
    const match = unnumbered.get(link.platformUsername);
    if (match === undefined || !mayBeOf(link, match)) continue;
    if (isByHandle(link) ? match.scopedId === null : match.seenAt <= link.connectedAt) found.set(link.id, match);
  }
  return found;
}

/**
 * Tells whether the comment or like may be another account's. It may be if it was seen before the link was made, and only the handle of
 * the link's account is known.
 */
export function predatesLink({ link, match }: LinkMatch): boolean {
  return isByHandle(link) && (match.accountId ?? match.scopedId) !== null && match.seenAt < link.connectedAt;
}

/**
 * Of links that match by such a comment those whose comment a complete reading has shown since they were made. It showed another handle:
 * else the link had the account by now (`noteAccounts`). A reading that lacks handles does not tell.
 */
export async function renamedSince(
  { comments }: Pick<MatchingStorage, 'comments'>,
  { challenge }: Asked,
  links: readonly SocialAccount[],
  matches: ReadonlyMap<number, Match>,
): Promise<readonly SocialAccount[]> {
  const doubtful = links.filter((link) => {
    const match = matches.get(link.id);
    return match !== undefined && predatesLink({ link, match }) && link.disconnectedAt === null;
  });
  const reading = doubtful.length === 0 ? null : lastReading(await comments.sweep(challenge.id));
  if (reading === null || (reading.unnamed ?? 0) > 0) return [];
  const commentOf = ({ id }: SocialAccount) => matches.get(id)?.comment?.platformCommentId ?? '';
  const judged = doubtful.filter(({ connectedAt }) => connectedAt <= reading.startedAt);
  const met = (ids: readonly string[]) => comments.knownAmong(challenge.id, ids, reading.startedAt);
  const known = new Set(await askInPieces(judged.map(commentOf), met));
  return judged.filter((link) => known.has(commentOf(link)));
}

/** The first of these likes (`predatesLink`) whose account no fetch has shown under another handle since the link was made. */
export async function standingLike(
  { likers }: Pick<MatchingStorage, 'likers'>,
  { id: challengeId }: Challenge,
  likes: readonly LinkMatch[],
  links: readonly SocialAccount[],
): Promise<LinkMatch | null> {
  for (const { match, link: before } of likes) {
    const link = links.find(({ id }) => id === before.id);
    if (link === undefined || !predatesLink({ link, match })) continue;
    const shown = await likers.among(
      { challengeId, since: link.connectedAt },
      authorKeys({ authorId: match.accountId }),
    );
    const isSame = ({ username }: FoundLiker) => normaliseHandle(username) === match.handle;
    if ([...shown.values()].every(isSame)) return { match, link };
  }
  return null;
}

/** For each handle of these links: its first comment that meets the rules and names no account number. */
export async function findUnnumbered(
  { comments }: Pick<MatchingStorage, 'comments'>,
  asked: Asked,
  links: readonly Pick<SocialAccount, 'platformUsername'>[],
): Promise<ReadonlyMap<string, Match>> {
  if (asked.challenge.action === 'like') return new Map();
  const handles = links.map(({ platformUsername }) => platformUsername);
  const firstOf = (some: readonly string[]) => earliestThatCounts(comments, asked, some, 'unnumbered');
  const found = await askInPieces(handles, firstOf);
  return new Map(found.map(([handle, comment]) => [handle, matchOf(comment)]));
}

/**
 * Finds the match of one creator: the earliest comment over all of the creator's links, or the first link that liked. For creators
 * of one moment the storage is asked together.
 */
export function createFindMatch(storage: MatchingStorage) {
  interface Search {
    readonly asked: Asked;
    readonly links: readonly SocialAccount[];
  }
  const find = gathered(async (searches: readonly Search[]) => {
    const byChallenge = [...Map.groupBy(searches, ({ asked }) => sameQuestion(asked)).values()];
    const found = byChallenge.map(async (own) => {
      const all = own.flatMap(({ links }) => links);
      const matches = own[0] && (await matchesOfLinks(storage, own[0].asked, all));
      return own.map((one) => [one, matches ? earliestMatch(matches, one.links) : null] as const);
    });
    return new Map((await Promise.all(found)).flat());
  });
  return async (asked: Asked, links: readonly SocialAccount[]): Promise<LinkMatch | null> =>
    (await find({ asked, links })) ?? null;
}

/** Of two claims at one challenge, one may know more of it, or its rules may have changed in between. */
const sameQuestion = ({ challenge }: Asked) => (challenge.rules ? JSON.stringify(challenge) : challenge.id);

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

/** The match of the comment's author. */
export function matchOf({ createdAt, ...stored }: NewComment & Pick<StoredComment, 'createdAt'>): Match {
  const { username, authorId, scopedAuthorId, commentText, commentedAt, platformCommentId } = stored;
  return {
    handle: normaliseHandle(username),
    accountId: authorId ?? null,
    scopedId: scopedAuthorId ?? null,
    seenAt: createdAt,
    comment: { commentText, commentedAt, platformCommentId },
  };
}

/** Whether a creator has done what a challenge asks: handles against stored comment authors or likers. */
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { LikersFetch, StoredComment } from '../challenge-data/comment.ts';
import type { MatchedComment } from './attempt.ts';

export interface Match {
  /** The handle that was found. */
  readonly handle: string;
  /** The earliest comment of the handle; null for a like. */
  readonly comment: MatchedComment | null;
}

/** Most handles in one call of `findMatches`. */
export const MOST_HANDLES = 1_000;

export type MatchingStorage = Pick<Storage, 'comments' | 'likers'>;

/**
 * Which of these handles (normalised, at most 1,000) have done what the challenge asks, as far as storage knows. That means: written a
 * comment or a reply, or liked the post according to the latest completed fetch of likers. Upper and lower case are the same.
 */
export async function findMatches(
  storage: MatchingStorage,
  challenge: Challenge,
  handles: readonly string[],
): Promise<ReadonlyMap<string, Match>> {
  const matches = new Map<string, Match>();
  if (handles.length === 0) return matches;
  if (challenge.action === 'like') {
    return await findLikes(storage, await storage.likers.latestCompleted(challenge.id), handles);
  }
  for (const [handle, comment] of await storage.comments.earliestByAuthors(challenge.id, handles)) {
    matches.set(handle, { handle, comment: matchedComment(comment) });
  }
  return matches;
}

/** Which of these handles (as for `findMatches`) are among the likers of one fetch; none without a fetch. */
export async function findLikes(
  storage: Pick<Storage, 'likers'>,
  fetch: Pick<LikersFetch, 'id'> | null,
  handles: readonly string[],
): Promise<ReadonlyMap<string, Match>> {
  if (fetch === null) return new Map();
  const likers = await storage.likers.handlesAmong(fetch.id, handles);
  return new Map([...likers].map((handle) => [handle, { handle, comment: null }]));
}

/** The match of one creator: the earliest comment over all of the creator's handles, or the first handle that liked. */
export async function findMatch(
  storage: MatchingStorage,
  challenge: Challenge,
  handles: readonly string[],
): Promise<Match | null> {
  return earliestMatch(await findMatches(storage, challenge, handles), handles);
}

/** Of the matches of one creator's handles the one with the earliest comment. */
export function earliestMatch(matches: ReadonlyMap<string, Match | null>, handles: readonly string[]): Match | null {
  let earliest: Match | null = null;
  for (const handle of handles) {
    const match = matches.get(handle);
    if (match && (earliest === null || timeOf(match) < timeOf(earliest))) earliest = match;
  }
  return earliest;
}

function timeOf(match: Match): number {
  return match.comment?.commentedAt.getTime() ?? 0;
}

function matchedComment(comment: StoredComment): MatchedComment {
  return { commentText: comment.commentText, commentedAt: comment.commentedAt };
}

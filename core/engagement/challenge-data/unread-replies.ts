/** Replies that are counted by the platform and not read by design. */
import type { CommentPage } from '../../ports/platform.ts';
import { countUnread } from './pages.ts';
import type { WalkDeps } from './walk-deps.ts';
import type { WalkRecord } from './walk-record.ts';

/**
 * How many replies the comments of a page have that this sweep meets for the first time, besides those that came inline; 0 if
 * replies are swept. What an earlier part of the sweep has met is not in `seen`, but it is stored. A comment that only an earlier
 * sweep has stored is left out as well: counting too few leaves absence unproven, and counting twice would prove it wrongly.
 */
export async function unreadOn(
  deps: Pick<WalkDeps, 'repliesCount' | 'comments'>,
  { seen, current }: Pick<WalkRecord, 'seen' | 'current'>,
  { comments }: CommentPage,
  isContinued: boolean,
): Promise<number> {
  if (deps.repliesCount) return 0;
  if (!isContinued) return countUnread(comments, seen);
  const stored = await deps.comments.knownAmong(
    current.challengeId,
    comments.map(({ id }) => id),
  );
  return countUnread(
    comments.filter(({ id }) => !stored.has(id)),
    seen,
  );
}

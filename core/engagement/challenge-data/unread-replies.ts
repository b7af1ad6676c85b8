/** Replies that are counted by the platform and not read by design. */
import type { CommentPage } from '../../ports/platform.ts';
import { countTold, countUnread } from './pages.ts';
import type { WalkDeps } from './walk-deps.ts';
import type { WalkRecord } from './walk-record.ts';

/**
 * Counts replies that the page's new comments say they have, and that did not come inline. Returns 0 if replies are no part of
 * what is looked for. If their threads are out of reach, these replies exist and cannot be read.
 */
export function toldOn(
  deps: Pick<WalkDeps, 'repliesCount'>,
  { seen }: Pick<WalkRecord, 'seen'>,
  { comments }: CommentPage,
): number {
  return deps.repliesCount ? countTold(comments, seen) : 0;
}

/**
 * Counts replies that this sweep does not read: those of the page's new comments, except the replies that came inline. Returns 0
 * if replies are swept. Comments that an earlier part of the sweep has met are not in `seen`, but they are stored. Comments that
 * only an earlier sweep has stored are left out too: a low count leaves absence unproven; a double count would prove it wrongly.
 */
export async function unreadOn(
  deps: Pick<WalkDeps, 'repliesCount' | 'comments'>,
  { seen, current }: Pick<WalkRecord, 'seen' | 'current'>,
  { comments }: CommentPage,
  isContinued: boolean,
): Promise<number> {
  if (deps.repliesCount) return 0;
  if (!isContinued) return countUnread(comments, seen);
  const counted = comments.filter(({ parentId, replyCount }) => parentId !== null || (replyCount ?? 0) > 0);
  if (counted.length === 0) return 0;
  const stored = await deps.comments.knownAmong(
    current.challengeId,
    counted.map(({ id }) => id),
  );
  return countUnread(
    counted.filter(({ id }) => !stored.has(id)),
    seen,
  );
}

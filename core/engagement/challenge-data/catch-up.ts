import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { openThreads } from './pages.ts';
import type { ThreadReader } from './reply-threads.ts';
import { toldOn, unreadOn } from './unread-replies.ts';
import type { WalkDeps } from './walk-deps.ts';
import type { WalkRecord } from './walk-record.ts';

/**
 * Reads from the top until a page brings nothing new, before a walk continues further down. What was written since is mostly
 * there, and the callers of this sweep often wait for just that.
 */
export async function catchUp(
  deps: WalkDeps,
  record: WalkRecord,
  threads: ThreadReader,
  start: SweepProgress,
): Promise<void> {
  const { platform, post, limits, signal, caller } = deps;
  let cursor: string | null = null;
  for (let pages = 0; pages < limits.maxPages; pages += 1) {
    const page: CommentPage = await platform.getComments(post, cursor, { signal, caller });
    await record.flush();
    const unread = await unreadOn(deps, record, page, true);
    const told = toldOn(deps, record, page);
    record.meet(page);
    await record.add(page.comments, record.unseenWith(page));
    const inserted = await record.flush();
    if (inserted === 0) return;
    await record.save({
      totalFetched: record.current.totalFetched + inserted,
      unreadReplies: record.current.unreadReplies + unread,
      pendingReplies: [...(deps.withReplies ? openThreads(page.comments) : []), ...record.current.pendingReplies],
    });
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}

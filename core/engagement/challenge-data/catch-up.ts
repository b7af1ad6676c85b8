import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { countPage } from './count-page.ts';
import { openThreads } from './pages.ts';
import type { ThreadReader } from './reply-threads.ts';
import type { WalkDeps } from './walk-deps.ts';
import type { WalkRecord } from './walk-record.ts';

/**
 * Reads from the top until a page holds only what earlier parts of the sweep have met, before a walk continues further down. What
 * was written since is mostly there, and the callers of this sweep often wait for just that.
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
    const { fresh, told, counts } = await countPage(deps, record, page, true);
    const opened = deps.withReplies && fresh > 0 ? openThreads(page.comments) : [];
    await record.add(page.comments, { ...counts, pendingReplies: [...opened, ...record.current.pendingReplies] });
    await record.flush();
    if (fresh === 0) return;
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}

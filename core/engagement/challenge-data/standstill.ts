/** A sweep that continues an earlier one and gets no further: it would stay there, and read nothing that is new elsewhere. */
import { isDomainError } from '../../errors.ts';
import type { SweepProgress } from './comment.ts';
import { isNotUnderstood } from './platform-failure.ts';
import { isResumable } from './progress.ts';
import { ThreadNotRead } from './reply-threads.ts';

/** A place that is refused may be read again later. After this long it is given up. */
const PATIENCE_MS = 2 * 24 * 60 * 60 * 1_000;

type Place = Pick<SweepProgress, 'cursor' | 'pendingReplies'>;

/**
 * Returns what to save when `cause` ends a walk early. This is the top if the walk came no further than the last one and cannot
 * understand what is there; otherwise nothing. A sweep that began after `restartBefore` keeps its place, so that a long post is not
 * read from the top again and again. The place is also kept while the platform is slow or down, unless it was refused for two days.
 */
export function placeAfter(
  current: SweepProgress,
  start: SweepProgress,
  { cause, restartBefore }: { readonly cause: unknown; readonly restartBefore?: Date | undefined },
): Partial<Place> {
  if (!isResumable(start) || textOf(current) !== textOf(start)) return {};
  if (restartBefore !== undefined && start.startedAt >= restartBefore) return {};
  const refusedForMs = current.updatedAt.getTime() - start.startedAt.getTime();
  const isRefused = isDomainError(cause, 'PLATFORM_UNAVAILABLE') && refusedForMs > PATIENCE_MS;
  const isStuck = cause instanceof ThreadNotRead || isNotUnderstood(cause) || isRefused;
  return isStuck ? { cursor: null, pendingReplies: [] } : {};
}

/** Threads that were put aside may come in another order. */
function textOf({ cursor, pendingReplies }: Place): string {
  const threads = pendingReplies.map((thread) => JSON.stringify([thread.commentId, thread.cursor]));
  return JSON.stringify([cursor, threads.sort()]);
}

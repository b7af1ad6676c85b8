/** A sweep that continues an earlier one and gets no further: it would stay there, and read nothing that is new elsewhere. */
import type { SweepProgress } from './comment.ts';
import { isNotUnderstood } from './platform-failure.ts';
import { isResumable } from './progress.ts';
import { ThreadNotRead } from './reply-threads.ts';

/** A place that is refused may be read again later: rate limits last for minutes. After this long it is given up. */
const PATIENCE_MS = 30 * 60 * 1_000;

type Place = Pick<SweepProgress, 'cursor' | 'pendingReplies'>;

interface Refusal {
  readonly cause: unknown;
  readonly now: Date;
  /** See `WalkDeps.restartBefore`. */
  readonly restartBefore?: Date | undefined;
}

/**
 * Returns what to save when `cause` ends a walk early. Usually the place stays, with the time of its first refusal. The next walk
 * starts at the top if two walks in a row stop at an answer that cannot be understood. It also does after half an hour of refusals.
 * Each page that is read restarts the half hour, so a long post is read to its end despite many refusals. A sweep that began after
 * `restartBefore` keeps its place, so that one check does not read a long post from the top several times.
 */
export function placeAfter(
  current: SweepProgress,
  start: SweepProgress,
  { cause, now, restartBefore }: Refusal,
): Partial<SweepProgress> {
  if (!isResumable(start) || cameFurther(current, start)) return { refusedSince: now };
  // A time ahead was stored by a clock that was set wrong.
  const refusedSince = start.refusedSince !== null && start.refusedSince < now ? start.refusedSince : now;
  const mayRestart = restartBefore === undefined || start.startedAt < restartBefore;
  const isGivenUp = now.getTime() - refusedSince.getTime() >= PATIENCE_MS;
  const isStuck = cause instanceof ThreadNotRead || isNotUnderstood(cause) || isGivenUp;
  return mayRestart && isStuck ? { cursor: null, pendingReplies: [], refusedSince: null } : { refusedSince };
}

/** Threads that were put aside may come in another order, and a look at the top may have found more that are refused. */
function cameFurther(current: Place, start: Place): boolean {
  const left = new Set(current.pendingReplies.map(textOf));
  return current.cursor !== start.cursor || start.pendingReplies.some((thread) => !left.has(textOf(thread)));
}

function textOf({ commentId, cursor }: Place['pendingReplies'][number]): string {
  return JSON.stringify([commentId, cursor]);
}

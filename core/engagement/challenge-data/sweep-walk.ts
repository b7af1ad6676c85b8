/**
 * One walk over the comments of a post, page by page into storage. What is in memory is some pages and the ids seen so far.
 * Progress is saved with the pages, and the replies of a page are read before the next page. So a walk can continue
 * where it stopped, in this process or another.
 */
import { type DomainError, isDomainError } from '../../errors.ts';
import type { CommentPage } from '../../ports/platform.ts';
import { expectedSince, showsTooFew, tolerated } from '../attempts/absence.ts';
import type { SweepProgress } from './comment.ts';
import { CircleCheck } from './cursor-check.ts';
import { larger, openThreads } from './page.ts';
import { isNotUnderstood, isPlatformFailure } from './platform-failure.ts';
import { LimitHit, ThreadNotRead, ThreadReader } from './reply-threads.ts';
import type { EndedSweep, WalkDeps } from './sweep-deps.ts';
import { isResumable } from './sweep-progress.ts';
import { WalkRecord } from './sweep-record.ts';

/**
 * Walks on from `start` and returns the final progress, already saved, with status `swept` or `partial`.
 *
 * - `swept`: the last page was reached. `historyComplete` when, besides, every thread of replies was read to its end.
 * - `partial`: a limit was hit, the platform failed after something was read, or led in circles. A cursor that comes again
 *   leaves nothing to continue from; after too many pages without anything new the next walk continues behind them. A walk that
 *   continued an earlier one, and stands still for too long at what cannot be read, leaves nothing to continue from either.
 *
 * Replies that are refused to two parts of a sweep in a row hold up no further pages: their threads count as not read.
 *
 * @throws what the platform threw, when nothing at all was read; then nothing was saved either.
 */
export async function walkComments(deps: WalkDeps, start: SweepProgress): Promise<EndedSweep> {
  const record = new WalkRecord(deps, start);
  try {
    return await walk(deps, record, start);
  } catch (error) {
    if (error instanceof LimitHit) return finish(record, 'partial');
    if (error instanceof ThreadNotRead) return finish(record, 'partial', placeAfter(deps, record, start, error));
    // Stopped from outside, or a defect: the next sweep continues it.
    if (deps.signal.aborted || !record.anythingRead || !isRefusal(error, start)) throw error;
    deps.logger.warn({ challengeId: start.challengeId, code: error.code }, 'sweep ended early');
    return finish(record, 'partial', placeAfter(deps, record, start, error));
  } finally {
    await record.close();
  }
}

async function walk(deps: WalkDeps, record: WalkRecord, start: SweepProgress): Promise<EndedSweep> {
  const threads = new ThreadReader(deps, record, start);
  if (isResumable(start)) await catchUp(deps, record, threads, start);
  await threads.readAll();
  const readPage = pageReader(deps, record);
  while (record.current.pagesRead === 0 || record.current.cursor !== null) {
    if (record.current.pagesRead >= deps.limits.maxPages) return finish(record, 'partial');
    const { leads, told } = await readPage(deps.withReplies && !threads.areOutOfReach);
    await threads.readAll();
    await threads.countLost(told);
    if (leads === 'back') return finish(record, 'partial', { pendingReplies: [] });
    if (leads === 'stale') return finish(record, 'partial');
  }
  if (threads.areOutOfReach) {
    return finishSwept(deps, record, { pendingReplies: [], historyComplete: false });
  }
  await threads.readAside();
  return record.current.pendingReplies.length === 0
    ? finishSwept(deps, record, { historyComplete: true })
    : finish(record, 'partial', { historyComplete: false, ...placeAfter(deps, record, start, threads.failure) });
}

/** A cursor that the platform gave to this very walk, and does not take, is its failure. One that was saved may be too old. */
function isRefusal(error: unknown, start: SweepProgress): error is DomainError {
  return isPlatformFailure(error) || (isDomainError(error, 'INVALID_REQUEST') && !isResumable(start));
}

async function finish(
  record: WalkRecord,
  status: EndedSweep['status'],
  changes: Partial<SweepProgress> = {},
): Promise<EndedSweep> {
  await record.add([], { status, refusedSince: null, ...changes });
  return { ...record.current, status };
}

/** The last page was reached. What the sweep has seen is settled in the same write that says so. */
async function finishSwept(
  deps: WalkDeps,
  record: WalkRecord,
  changes: Pick<SweepProgress, 'historyComplete'> & Partial<SweepProgress>,
): Promise<EndedSweep> {
  const { totalFetched } = record.current;
  let { expectedTotal } = record.current;
  if (!record.current.isWhole && isDoubtful(deps, record, totalFetched)) {
    // Of an empty list not even a zero is believed.
    const listed = totalFetched === 0 && expectedTotal === 0 ? null : expectedTotal;
    expectedTotal = larger(listed, await deps.askTotal());
  }
  expectedTotal = larger(expectedTotal, await knownBeside(deps, record.current));
  return finish(record, 'swept', { ...changes, expectedTotal });
}

/**
 * How many comments storage knows that are not known to be gone, if the sweep shows too few of them; else null. A whole list has nothing
 * else to be compared with.
 */
async function knownBeside({ comments, absenceTolerance }: WalkDeps, sweep: SweepProgress): Promise<number | null> {
  const { challengeId, totalFetched, unreadReplies, isWhole } = sweep;
  const seen = totalFetched + unreadReplies;
  const isMore = (known: number) =>
    isWhole ? known - seen > tolerated(known, absenceTolerance) : showsTooFew(seen, known, absenceTolerance);
  const first = { page: 1, limit: 1 };
  if (!isMore((await comments.page(challengeId, first)).total)) return null;
  // Comments are switched off for days, too: an empty list shows nothing of what is gone.
  const metSince = totalFetched === 0 ? new Date(0) : expectedSince(sweep);
  const { total: known } = await comments.page(challengeId, first, { metSince });
  return isMore(known) ? known : null;
}

/**
 * Whether the post is asked for its total. A list that ends too early may give a total that fits what it shows. A list that lacks
 * comments by its own total proves nothing, whatever the post says.
 */
function isDoubtful(
  { absenceTolerance }: WalkDeps,
  { current: { expectedTotal, unreadReplies }, hasPostTotal }: WalkRecord,
  totalFetched: number,
): boolean {
  if (expectedTotal === null || totalFetched === 0 || totalFetched > expectedTotal) return true;
  return !hasPostTotal && totalFetched + unreadReplies + tolerated(expectedTotal, absenceTolerance) >= expectedTotal;
}

/** A place that is refused may be read again later: rate limits last for minutes. After this long it is given up. */
const PATIENCE_MS = 30 * 60 * 1_000;

type Place = Pick<SweepProgress, 'cursor' | 'pendingReplies'>;

/**
 * Returns what to save when `cause` ends a walk early. Usually the place stays, with the time of its first refusal. The next walk
 * starts at the top if two walks in a row stop at an answer that cannot be understood. It also does after half an hour of refusals.
 * Each page that is read restarts the half hour, so a long post is read to its end despite many refusals. A sweep that began after
 * `restartBefore` keeps its place, so that one check does not read a long post from the top several times.
 */
function placeAfter(
  { clock, restartBefore }: WalkDeps,
  { current }: WalkRecord,
  start: SweepProgress,
  cause: unknown,
): Partial<SweepProgress> {
  const now = clock.now();
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

/**
 * Reads the page at the saved cursor, and notes its threads of replies if they are wanted. Returns where the platform leads, and what
 * `CountedPage.told` says. While a page is stored, the next one is asked for, unless something else comes before it.
 * @throws the platform's failures
 */
function pageReader(deps: WalkDeps, record: WalkRecord) {
  const { platform, post, limits, call } = deps;
  /** Of these pages. What a look at the top has met is yet to come. */
  const circles = new CircleCheck();
  const read = (at: string | null) => platform.getComments(post, at, call);
  let next: Promise<CommentPage> | undefined;
  return async (wantsThreads: boolean) => {
    const { cursor } = record.current;
    circles.direction(cursor);
    const page = await (next ?? read(cursor));
    const comments = page.comments.filter(({ parentId }) => parentId === null);
    const isFresh = circles.page(comments.map(({ id }) => id));
    const leads = circles.direction(page.nextCursor);
    const threads = wantsThreads && isFresh ? openThreads(page.comments) : [];
    const { told, counts } = await record.countPage(page);
    const pagesRead = record.current.pagesRead + 1;
    const pendingReplies = [...threads, ...record.current.pendingReplies];
    const goesOn = leads === 'ok' && page.nextCursor !== null && pendingReplies.length === 0;
    next = goesOn && pagesRead < limits.maxPages ? read(page.nextCursor) : undefined;
    // If the page cannot be stored, nobody waits for it.
    next?.catch(() => undefined);
    await record.add(page.comments, {
      ...counts,
      cursor: leads === 'back' ? null : page.nextCursor,
      pagesRead,
      pendingReplies,
    });
    return { leads, told };
  };
}

/**
 * Reads from the top until a page holds only what earlier parts of the sweep have met, before a walk continues further down. What
 * was written since is mostly there, and the callers of this sweep often wait for just that.
 */
async function catchUp(deps: WalkDeps, record: WalkRecord, threads: ThreadReader, start: SweepProgress): Promise<void> {
  const { platform, post, limits, call } = deps;
  let cursor: string | null = null;
  for (let pages = 0; pages < limits.maxPages; pages += 1) {
    const page: CommentPage = await platform.getComments(post, cursor, call);
    const { fresh, told, counts } = await record.countPage(page, true);
    const opened = deps.withReplies && fresh > 0 ? openThreads(page.comments) : [];
    await record.add(page.comments, { ...counts, pendingReplies: [...opened, ...record.current.pendingReplies] });
    if (fresh === 0) return;
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}

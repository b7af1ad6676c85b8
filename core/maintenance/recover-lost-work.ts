/**
 * Work that waits for a job which is nowhere. Its process died between storing the work and queueing the job, the job was
 * dead-lettered, or somebody deleted it. What waits for longer than any living job leaves it waiting gets a job again.
 */
import { rulesOf } from '../engagement/attempts/states.ts';
import { likersJob } from '../engagement/challenge-data/fetch-likers.ts';
import type { Needs } from '../engagement/use-case-parts.ts';
import type { NewJob } from '../ports/job-queue.ts';
import type { Waiting, WaitingCursor } from '../ports/waiting.ts';

/** Reading a long post takes its time; a second verification beside a living one costs requests to the platform. */
const ATTEMPT_LOST_AFTER_MS = 60 * 60 * 1_000;
/**
 * Longer than a fetch takes. Its job is known by its key. One that a verification makes has none, and may have ended with
 * its process: what lives on is then fetched twice.
 */
const LIKERS_LOST_AFTER_MS = 10 * 60 * 1_000;

/** Those that wait longest come first. Many of them may have a living job, so the next call continues behind them. */
const BATCH = 500;

/** Looks at one piece a call, and begins again once it has seen all. */
function inPieces<T extends Waiting>(
  next: (before: Date, limit: number, after?: WaitingCursor) => Promise<readonly T[]>,
) {
  let after: WaitingCursor | undefined;
  return async (before: Date): Promise<readonly T[]> => {
    const found = await next(before, BATCH, after);
    const last = found.length === BATCH ? found.at(-1) : undefined;
    after = last === undefined ? undefined : { id: last.id, since: last.since };
    return found;
  };
}

/**
 * Queues jobs that are missing: for attempts that wait for their verification or reward, and for unfinished fetches of likers.
 * Call it every now and then, from any number of processes. A repeated call changes nothing: jobs are known by their keys, and
 * their handlers find out if there is anything to do. A call looks at the next 500 of each kind. Returns how many waited.
 */
export function recoverLostWork(deps: Needs<'attempts' | 'likers', 'queue' | 'clock' | 'logger'>) {
  const { queue, clock, logger } = deps;
  const { attempts, likers } = deps.storage;
  // Called on their stores, which may be classes.
  const awaitingJobs = inPieces(async (...piece) =>
    (await attempts.due('job', ...piece)).map(({ id, state, updatedAt }) => ({ id, state, since: updatedAt })),
  );
  const unfinishedLikers = inPieces((...piece) => likers.unfinished(...piece));
  return async (): Promise<number> => {
    const now = clock.now().getTime();
    const [waiting, unfinished] = await Promise.all([
      awaitingJobs(new Date(now - ATTEMPT_LOST_AFTER_MS)),
      unfinishedLikers(new Date(now - LIKERS_LOST_AFTER_MS)),
    ]);
    const jobs: NewJob[] = [
      ...waiting.flatMap(({ id, state }): NewJob[] => {
        const type = rulesOf(state).awaits;
        return type === null ? [] : [{ type, key: `${type}:again:${id}`, payload: { attemptId: id } }];
      }),
      ...unfinished.map(likersJob),
    ];
    if (jobs.length === 0) return 0;
    await queue.enqueue(jobs);
    // Most of them may have a living job that is late: then nothing was queued, and the queue's figures say why.
    const counts = { attempts: waiting.length, likers: unfinished.length };
    logger.info(counts, 'work that waits long has a job');
    return jobs.length;
  };
}

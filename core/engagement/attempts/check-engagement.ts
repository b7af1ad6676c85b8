/** Looks again for the comment or like of an attempt: before its reward, and after it. */
import type { JobContext, JobPayloads, NewJob } from '../../ports/job-queue.ts';
import type { Stores } from '../../ports/storage.ts';
import { isPlatformFailure } from '../challenge-data/platform-failure.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Attempt } from './attempt.ts';
import type { EventFacts } from './attempt-events.ts';
import type { RecheckPolicy } from './deadline.ts';
import { type FindCreatorDeps, findCreator } from './find-creator.ts';
import { gone, isOver, isWatched, seenAgain, undecidedCheck } from './keeping.ts';
import { lastHandle, linksOn, loadAttemptFacts } from './load-facts.ts';
import { createFindMatch } from './matching.ts';
import { type AttemptDeps, attemptContext, storeChange } from './move-attempt.ts';
import { noted } from './next-state.ts';
import { createPostReads, type PostReads } from './post-reads.ts';
import { readSince } from './read-since.ts';
import { goneAmong } from './still-there.ts';

export type CheckEngagementDeps = AttemptDeps & Stores<'comments' | 'likers'> & FindCreatorDeps & RecheckPolicy;

/** Those due longest come first; the next call finds the others. */
const BATCH = 500;

/**
 * Queues the checks whose time has come. To be called every now and then by any number of processes: jobs are known by their keys.
 * Returns how many are due, at most 500.
 */
export function queueChecks(deps: Needs<'attempts', 'clock' | 'queue'>) {
  return async (): Promise<number> => {
    const due = await deps.storage.attempts.due('check', deps.clock.now(), BATCH);
    const jobs = due.map(({ id }): NewJob<'check-engagement'> => {
      return { type: 'check-engagement', key: `check:${id}`, payload: { attemptId: id } };
    });
    if (jobs.length > 0) await deps.queue.enqueue(jobs);
    return jobs.length;
  };
}

/**
 * Looks for the comment or like of an attempt, in what was read since its time to be checked, then on the platform. It is gone if
 * readings prove it (`proofsOfLoss`). So it is if it was told to be hidden, and is not shown again. If nobody can tell,
 * it is looked for again in six hours. Safe to repeat and to run twice at a time: a run changes nothing of an attempt that was moved meanwhile.
 * @throws `RescheduleError` for the next run over a long post
 */
export function checkEngagement(deps: CheckEngagementDeps) {
  const { storage, clock } = deps;
  const postReads = createPostReads(clock);
  return async ({ attemptId }: JobPayloads['check-engagement'], { signal }: Pick<JobContext, 'signal'>) => {
    const attempt = await findDue(deps, attemptId);
    if (attempt === null) return;
    const facts = await loadAttemptFacts(storage, attempt, lastHandle(attempt));
    const isSeen = isWatched(attempt, facts.campaign.terms)
      ? await look({ ...deps, postReads }, attempt, facts, signal)
      : 'over';
    await conclude(deps, attempt, facts, isSeen);
  };
}

/** Postpones the check of a job that will not run again. */
export function abandonCheck(deps: AttemptDeps & RecheckPolicy) {
  return async ({ attemptId }: JobPayloads['check-engagement']): Promise<void> => {
    const attempt = await findDue(deps, attemptId);
    if (attempt === null) return;
    await conclude(deps, attempt, await loadAttemptFacts(deps.storage, attempt, lastHandle(attempt)), null);
  };
}

type DueAttempt = Attempt & { readonly checkAt: Date };

async function findDue({ storage, clock }: AttemptDeps, attemptId: number): Promise<DueAttempt | null> {
  const attempt = await storage.attempts.find(attemptId);
  return attempt?.checkAt == null || clock.now() < attempt.checkAt ? null : { ...attempt, checkAt: attempt.checkAt };
}

/** Null: nobody can tell. `over`: nothing is to be looked for any more. */
type Seen = boolean | null | 'over';

async function conclude(
  deps: AttemptDeps & RecheckPolicy,
  attempt: Attempt,
  facts: EventFacts,
  seen: Seen,
): Promise<void> {
  const context = attemptContext(deps, facts);
  const change =
    seen === 'over'
      ? noted(attempt, { checkAt: null })
      : seen === null
        ? undecidedCheck(attempt, context, deps.recheckScale)
        : seen
          ? seenAgain(attempt, context)
          : gone(attempt, { at: context.now, how: attempt.matchedComment?.removed?.how ?? 'removed' }, context);
  // Of an attempt that was moved meanwhile the check is due again.
  await storeChange(deps, attempt, change);
}

async function look(
  deps: CheckEngagementDeps & { readonly postReads: PostReads },
  attempt: DueAttempt,
  facts: EventFacts,
  signal: AbortSignal,
): Promise<boolean | null> {
  const since = attempt.checkAt;
  const { campaigns, creators, ...stores } = deps.storage;
  const platform = deps.platforms.describe(facts.challenge.platform);
  const only = attempt.matchedComment?.platformCommentId ?? '';
  const readFrom = (time: Date) => {
    const read = readSince(stores, platform, { since: time });
    const anyOwn = createFindMatch(read);
    // The comment itself need not meet the rules once more: what others wrote since may have changed how it is judged.
    const itself = createFindMatch(readSince(stores, platform, { since: time, only }));
    const findMatch: typeof anyOwn = async (asked, links) =>
      (await itself({ ...asked, challenge: { ...asked.challenge, rules: null } }, links)) ??
      (await anyOwn(asked, links));
    return { read, findMatch };
  };
  // What was done under a handle stays done when the handle is disconnected.
  const accountsOf = async (userId: number) =>
    (await creators.accountsOf(userId)).map((account) => ({ ...account, disconnectedAt: null }));
  const told = attempt.matchedComment?.removed;
  if (told !== undefined) {
    const links = linksOn(await accountsOf(attempt.userId), facts.challenge);
    if ((await readFrom(new Date(0)).findMatch(facts, links)) === null) return false;
    // Nothing else is looked for after such a reward.
    if (told.how === 'hidden' && isOver(attempt, facts.campaign.terms)) return true;
  }
  const { read, findMatch } = readFrom(since);
  try {
    const found = await findCreator(
      {
        ...deps,
        storage: { campaigns, creators: { accountsOf }, ...read },
        findMatch,
        remember: async () => true,
      },
      attempt,
      facts,
      signal,
      { claimedAt: since, checkedAt: since },
    );
    if (found.kind === 'match') return true;
    if (found.absence.isProven && (await goneAmong(deps, facts, [attempt], true)).size > 0) return false;
    const why = found.absence.isProven ? 'one reading is not enough' : found.absence.why;
    deps.logger.info({ attemptId: attempt.id, why }, 'not seen again, and not proven to be gone');
  } catch (error) {
    if (signal.aborted || !isPlatformFailure(error)) throw error;
    deps.logger.info({ attemptId: attempt.id, code: error.code }, 'the post cannot be read: looked for again later');
  }
  return null;
}

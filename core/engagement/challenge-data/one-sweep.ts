/** One sweep of a challenge's comments: plans who takes it over, walks, and looks a second time if a verdict needs it. */
import { isDomainError } from '../../errors.ts';
import { platformOf } from '../../platforms/platforms.ts';
import { SweepTakenOver } from '../../ports/comment-store.ts';
import type { Platform } from '../../ports/platform.ts';
import { commentsAbsence } from '../attempts/absence.ts';
import { noteAccounts } from '../attempts/own-account.ts';
import { brandAsCaller, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import { knowPublishers } from '../rules/know-publishers.ts';
import type { SweepProgress } from './comment.ts';
import { createWitness, isConfirmed } from './confirmation.ts';
import { ifReadable } from './platform-failure.ts';
import type { EndedSweep, SweepDeps, SweepOutcome, WalkDeps, WalkLimits } from './sweep-deps.ts';
import { takeSweepLease } from './sweep-lease.ts';
import { isResumable, startOf } from './sweep-progress.ts';
import { walkComments } from './sweep-walk.ts';

export interface OneSweepInput {
  readonly challengeId: number;
  /** Somebody waits for a verdict on a claim. */
  readonly forVerdict: boolean;
  /** See `WalkDeps.restartBefore`. */
  readonly restartBefore?: Date | undefined;
  /** Whose share of the platform's rate is used; the brand's by default. */
  readonly caller?: string | undefined;
}

const DEFAULT_LIMITS: WalkLimits = { maxPages: 500, maxReplyPages: 5_000, maxPagesPerThread: 500 };

/**
 * Sweeps, continuing where the last sweep stopped if it can be gone on from. If another process sweeps the challenge, waits
 * for that sweep instead.
 * @throws DomainError `NOT_FOUND`, also for a challenge that is deleted meanwhile, the platform's refusal when nothing could be
 * read, and the signal's reason
 */
export function sweepOnce(deps: SweepDeps) {
  return async (input: OneSweepInput): Promise<SweepOutcome> => {
    const { challengeId } = input;
    for (;;) {
      const found = await requireChallenge(deps, challengeId);
      const { campaign, challenge } = found;
      const { brandId } = campaign;
      const call = { signal: deps.signal, caller: input.caller ?? brandAsCaller(campaign), brandId };
      const taken = await takeSweepLease(deps, challengeId);
      if (taken.outcome !== undefined) return taken.outcome;
      try {
        await knowPublishers(deps, found, call);
        const ended = await sweepFrom(deps, challenge, taken.start, { ...input, call });
        if (ended.isWhole && ended.status === 'swept') await planSettling(deps, challengeId);
        // Nothing is kept of a challenge that was deleted meanwhile.
        await requireChallenge(deps, challengeId);
        return ended;
      } catch (error) {
        if (!(error instanceof SweepTakenOver)) throw error;
        deps.logger.warn({ challengeId }, 'another process has taken this sweep over');
      }
    }
  };
}

/** Readings of one moment are settled together. */
const SETTLE_AFTER_MS = 60_000;

/** What a whole list shows, and does not show any more, is news for open attempts and for rewarded ones. */
async function planSettling({ queue, clock }: SweepDeps, challengeId: number): Promise<void> {
  const runAt = new Date(clock.now().getTime() + SETTLE_AFTER_MS);
  await queue.enqueue([{ type: 'settle-comments', key: `settle:${challengeId}`, payload: { challengeId }, runAt }]);
}

type Purpose = OneSweepInput & Pick<WalkDeps, 'call'>;

async function sweepFrom(
  deps: SweepDeps,
  challenge: Challenge,
  start: SweepProgress,
  purpose: Purpose,
): Promise<EndedSweep> {
  const { comments, logger } = deps;
  try {
    return await walk(deps, challenge, start, purpose);
  } catch (error) {
    // A cursor of an earlier day or version that the platform no longer takes.
    if (!isResumable(start) || !isDomainError(error, 'INVALID_REQUEST')) throw error;
    logger.warn({ challengeId: challenge.id }, 'a saved cursor is no longer taken; the sweep starts again');
    const { lease, leasedAt, lastSwept } = start;
    const anew = { ...startOf(challenge.id, null, leasedAt), lease, lastSwept };
    await comments.saveSweep(anew);
    return await walk(deps, challenge, anew, purpose);
  }
}

/** Saves that a sweep broke off, so that it is not said to be running any more. Leaves a later sweep alone. */
export async function saveBroken(deps: Pick<SweepDeps, 'comments' | 'clock'>, last: SweepProgress): Promise<void> {
  await saveStatus(deps, last, isResumable(last) ? 'partial' : 'failed');
}

/** Says that this sweep has ended, so that nobody waits for it: it broke off at a refusal, or was stopped or met a defect. */
async function release(deps: SweepDeps, start: SweepProgress, error: unknown): Promise<void> {
  const stored = (await deps.comments.sweep(start.challengeId)) ?? start;
  if (stored.lease !== start.lease) return;
  if (isDomainError(error) && !deps.signal.aborted) await saveBroken(deps, stored);
  else if (stored.status === 'running') await saveStatus(deps, stored, 'stopped');
}

async function saveStatus(
  { comments, clock }: Pick<SweepDeps, 'comments' | 'clock'>,
  last: SweepProgress,
  status: SweepProgress['status'],
): Promise<void> {
  try {
    await comments.saveSweep({ ...last, status, updatedAt: clock.now() });
  } catch (error) {
    if (!(error instanceof SweepTakenOver)) throw error;
  }
}

async function walk(
  deps: SweepDeps,
  challenge: Challenge,
  start: SweepProgress,
  { forVerdict, restartBefore, call }: Purpose,
): Promise<EndedSweep> {
  const { comments, clock, logger, absenceTolerance, signal } = deps;
  const platform = platformOf(deps.platforms, challenge.platform);
  const repliesCount = deps.platforms.describe(challenge.platform).sweepsReplies;
  const first = createWitness();
  const walkDeps: WalkDeps = {
    ...deps,
    restartBefore,
    call,
    platform,
    post: challenge,
    withReplies: platform.supports.replies && repliesCount,
    repliesCount,
    // What was seen is compared with another way of reading, if there is one.
    ...(platform.ways === undefined ? {} : { onPage: first.onPage }),
    noteAccounts: accountNotes(deps, challenge, start),
    askTotal: () => askTotal(deps, platform, challenge, call),
    limits: { ...DEFAULT_LIMITS, ...deps.limits },
  };
  try {
    const ended = await walkComments(walkDeps, start);
    // A paid way may be asked: only if somebody waits for a verdict, and if this sweep can be compared from its first page on.
    const proves = ended.status !== 'swept' || commentsAbsence(ended, absenceTolerance).isProven;
    if (proves || !forVerdict || isResumable(start) || ended.skipped > 0) return ended;
    const confirmed = await isConfirmed(walkDeps, startOf(challenge.id, null, start.startedAt), first);
    const checked = { ...ended, confirmed, updatedAt: clock.now() };
    if (confirmed) await comments.saveSweep(checked);
    return checked;
  } catch (error) {
    await release(deps, start, error).catch((err: unknown) => {
      logger.warn(
        { challengeId: challenge.id, err },
        'a sweep ended, and nobody can continue it until its lease has expired',
      );
    });
    signal.throwIfAborted();
    throw error;
  }
}

/** For `WalkDeps.noteAccounts`. In a first sweep, with nothing stored before it, there is nothing to note. */
function accountNotes(deps: SweepDeps, challenge: Challenge, start: SweepProgress): WalkDeps['noteAccounts'] {
  let hasStored = start.lease > 1 ? true : null;
  return async (shown) => {
    hasStored ??= (await deps.comments.page(challenge.id, { page: 1, limit: 1 })).total > 0;
    if (hasStored) await noteAccounts(deps, challenge, shown, start.leasedAt);
  };
}

/** What the post itself says, which comes from elsewhere than the list of its comments. */
async function askTotal(
  deps: SweepDeps,
  platform: Platform,
  challenge: Challenge,
  call: WalkDeps['call'],
): Promise<number | null> {
  const facts = { challengeId: challenge.id };
  const post = await ifReadable(deps, facts, 'the number of comments is not known', () =>
    platform.getPost(challenge, call),
  );
  return post?.stats.comments ?? null;
}

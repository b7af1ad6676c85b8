/** The verification of a claim: the handler of `verify-attempt` jobs. */
import { DomainError } from '../../errors.ts';
import { type JobContext, RescheduleError } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import type { SweepProgress } from '../challenge-data/comment.ts';
import { isOutOfReach, isPermanent, isPlatformFailure } from '../challenge-data/platform-failure.ts';
import { isResumable } from '../challenge-data/progress.ts';
import { isLargestFetch } from '../challenge-data/run-likers-fetch.ts';
import {
  type AbsenceProof,
  type AbsenceTolerance,
  commentsAbsence,
  DEFAULT_ABSENCE_TOLERANCE,
  likersAbsence,
} from './absence.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand } from './attempt-command.ts';
import { type AttemptFacts, loadAttemptFacts } from './load-facts.ts';
import { earliestMatch, findLikes, findMatch, type Match, type MatchingStorage } from './matching.ts';
import { type AttemptDeps, tryMove } from './move-attempt.ts';
import { createReadings, type Readings, type Refresh } from './readings.ts';
import { type RecheckPolicy, recheckDelay } from './recheck-claims.ts';
import { rulesOf } from './states.ts';

export interface VerifyAttemptDeps extends AttemptDeps, RecheckPolicy {
  readonly storage: AttemptDeps['storage'] & MatchingStorage;
  /** How many comments a reading may lack and still prove absence; `DEFAULT_ABSENCE_TOLERANCE` by default. */
  readonly absenceTolerance?: AbsenceTolerance;
  readonly refreshComments: Refresh;
  readonly refreshLikers: Refresh;
  readonly logger: Logger;
}

interface Deps extends VerifyAttemptDeps {
  readonly readings: Readings;
}

/** Runs of one verification job before the post counts as unreadable and the claim is handed back to the creator. */
const MAX_RUNS = 3;
/** A platform that wants to be left alone for longer than this is not waited for. */
const MAX_RETRY_AFTER_SECONDS = 15 * 60;
/** Refreshes in one run: one may take up an older sweep, the next reads again. */
const MAX_REFRESHES = 3;
const NO_TOLERANCE: AbsenceTolerance = { count: 0, share: 0 };

/**
 * Looks for the creator of a pending attempt, first in what is stored, then on the platform, and records the outcome:
 * - `verified`;
 * - `failed_retryable` or `failed_terminal` if a reading begun after the claim proves that the creator is missing
 *   (`core/engagement/attempts/absence.ts`);
 * - `awaiting_claim`, to be checked again, if the post could not be read, or if too many of its comments are missing.
 *
 * Safe to repeat and to run twice at a time. A run does not change an attempt that is no longer pending. Its result counts only
 * for the claim that it looked at.
 * A long post takes several runs, up to its end or the deadline of the attempt. Each run continues where the last one stopped.
 * @throws the platform's transient failures, for the job queue to retry; `RescheduleError` for the next run over a long post
 */
export function verifyAttempt(deps: VerifyAttemptDeps) {
  const readings = createReadings(deps.clock);
  return async (payload: { readonly attemptId: number }, context: JobContext): Promise<void> => {
    const attempt = await deps.storage.attempts.find(payload.attemptId);
    if (attempt === null || rulesOf(attempt.state).awaits !== 'verify-attempt') return;
    const facts = await loadAttemptFacts(deps.storage, attempt);
    const { command, match } = await look({ ...deps, readings }, attempt, facts, context);
    const moved = await tryMove(deps, attempt, facts, { command, username: match?.handle });
    if (moved !== null) void deps.relay.nudge(attempt.id);
  };
}

interface Finding {
  readonly command: AttemptCommand;
  readonly match?: Match;
}

async function look(deps: Deps, attempt: Attempt, facts: AttemptFacts, { run, signal }: JobContext): Promise<Finding> {
  try {
    const found = await search(deps, attempt, facts, signal);
    if (found.kind === 'match')
      return { command: { type: 'record-match', comment: found.match.comment }, match: found.match };
    const { absence } = found;
    if (absence.isProven) return { command: { type: 'record-no-match' } };
    deps.logger.info({ attemptId: attempt.id, why: absence.why }, 'claim undecided: it is checked again');
    return { command: handBack(deps, attempt, `no match found, but ${absence.why}`) };
  } catch (error) {
    // Stopped, not refused: another run takes it up.
    if (signal.aborted || !isPlatformFailure(error)) throw error;
    const worthWaiting = (error.retryAfterSeconds ?? 0) <= MAX_RETRY_AFTER_SECONDS;
    const mayPass = !isPermanent(error) && !isOutOfReach(error) && worthWaiting;
    if (mayPass && run < MAX_RUNS) throw error;
    deps.logger.info(
      { attemptId: attempt.id, code: error.code, run },
      'verification stopped: the post cannot be read; the claim was handed back',
    );
    return { command: handBack(deps, attempt, `post could not be read: ${reasonOf(error)}`) };
  }
}

function handBack(deps: VerifyAttemptDeps, attempt: Attempt, why: string): AttemptCommand {
  return { type: 'hand-back', why, recheckInMs: recheckDelay(attempt, deps) };
}

/** What storage says about a creator. */
type Found =
  | { readonly kind: 'match'; readonly match: Match }
  /** Not found in a reading that began after the claim and reached its end. */
  | { readonly kind: 'no-match'; readonly absence: AbsenceProof };

/** Without a handle nobody can be found, whatever the post shows. */
const NO_HANDLES: Found = { kind: 'no-match', absence: { isProven: true } };

/** @throws the platform's failures; `RescheduleError` if the reading of a long post continues in the next run */
async function search(
  deps: Deps,
  attempt: Attempt,
  { challenge, handles: handlesBefore }: AttemptFacts,
  signal: AbortSignal,
): Promise<Found> {
  const times = timesOf(attempt);
  const refresh = challenge.action === 'like' ? deps.refreshLikers : deps.refreshComments;
  const lookUp = challenge.action === 'like' ? lookUpLike : lookUpComment;
  const before = await deps.storage.comments.sweep(challenge.id);
  let handles = handlesBefore;
  for (let refreshes = 0; handles.length > 0; ) {
    const found = await lookUp(deps, challenge, handles, times);
    if (found !== null) return found;
    if (refreshes === MAX_REFRESHES) {
      if (await hasMovedOn(deps.storage, challenge, before)) {
        throw new RescheduleError(deps.clock.now(), 'the reading of a long post continues');
      }
      throw new DomainError('PLATFORM_UNAVAILABLE', 'The post could not be read to its end.', {
        details: { reason: 'partial' },
      });
    }
    // One reading from the top for a check: each of them comes later than the one before.
    const since = { freshSince: times.claimedAt, restartBefore: times.checkedAt };
    const isFresh = await deps.readings.read(challenge.id, refresh, { signal, ...since });
    if (isFresh) refreshes += 1;
    // Reading takes minutes: a handle may have been disconnected or linked meanwhile.
    ({ handles } = await loadAttemptFacts(deps.storage, attempt));
  }
  return NO_HANDLES;
}

/** Whether a sweep has more to read and this run made progress: a platform that leads in circles shows no further comments. */
async function hasMovedOn(
  { comments }: VerifyAttemptDeps['storage'],
  { id, action }: Challenge,
  before: SweepProgress | null,
): Promise<boolean> {
  const sweep = action === 'like' ? null : await comments.sweep(id);
  if (sweep === null || !isResumable(sweep)) return false;
  const isSame = before?.startedAt.getTime() === sweep.startedAt.getTime();
  return sweep.totalFetched > (isSame ? before.totalFetched : 0);
}

/**
 * Looks for a comment in storage; many claims at one post share a reading. Null if the post has to be read, because no reading
 * begun after the claim has reached its end.
 */
async function lookUpComment(
  { storage, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE }: VerifyAttemptDeps,
  challenge: Challenge,
  handles: readonly string[],
  { claimedAt, checkedAt }: Times,
): Promise<Found | null> {
  // Asked first: what another reading stores while this one looks was not looked through.
  const sweep = await storage.comments.sweep(challenge.id);
  const match = await findMatch(storage, challenge, handles);
  if (match !== null) return { kind: 'match', match };
  // While another sweep runs, what the last one saw still counts.
  const reading = sweep?.status === 'swept' ? sweep : sweep?.lastSwept;
  // One that ended before the claim is checked again has left it undecided.
  if (!reading || reading.startedAt < claimedAt || reading.updatedAt < checkedAt) return null;
  // What one with parts of an earlier check lacks may have moved between them, or can be read by now.
  const isOfEarlierCheck = reading.startedAt < checkedAt && reading.startedAt < reading.leasedAt;
  const absence = commentsAbsence(reading, isOfEarlierCheck ? NO_TOLERANCE : absenceTolerance);
  return isOfEarlierCheck && !absence.isProven ? null : { kind: 'no-match', absence };
}

/**
 * As `lookUpComment`, for a like. Of many likers a platform shows some, and others each time. So all fetches since the claim are
 * searched, not only the latest.
 */
async function lookUpLike(
  { storage }: VerifyAttemptDeps,
  challenge: Challenge,
  handles: readonly string[],
  { claimedAt, checkedAt }: Times,
): Promise<Found | null> {
  // One fetch for both questions: the one that is complete while this looks may be a smaller one.
  const fetch = await storage.likers.latestCompleted(challenge.id);
  const likes = await findLikes(storage, fetch, handles);
  const match = earliestMatch(likes, handles) ?? (await likedSince(storage, challenge.id, claimedAt, handles));
  if (match !== null) return { kind: 'match', match };
  if (fetch === null || (fetch.startedAt ?? fetch.requestedAt) < checkedAt) return null;
  const absence = likersAbsence(fetch);
  // A larger fetch may see more.
  return absence.isProven || isLargestFetch(fetch) ? { kind: 'no-match', absence } : null;
}

async function likedSince(
  { likers }: VerifyAttemptDeps['storage'],
  challengeId: number,
  since: Date,
  handles: readonly string[],
): Promise<Match | null> {
  const shown = await likers.handlesSince(challengeId, since, handles);
  const handle = handles.find((one) => shown.has(one));
  return handle === undefined ? null : { handle, comment: null };
}

/** The code and, where the platform's adapter names one, what exactly was in the way. */
function reasonOf(error: DomainError): string {
  const reason = error.details?.reason;
  return typeof reason === 'string' ? `${error.code} (${reason.slice(0, 100)})` : error.code;
}

interface Times {
  /** When the creator made the claim. */
  readonly claimedAt: Date;
  /** When this check of the claim began: the claim itself, or a later check of an undecided one. */
  readonly checkedAt: Date;
}

function timesOf({ stateHistory, updatedAt, recheck }: Attempt): Times {
  const checks = stateHistory.filter(({ state }) => rulesOf(state).awaits === 'verify-attempt');
  const checkedAt = checks.at(-1)?.at ?? updatedAt;
  return { checkedAt, claimedAt: checks.at(-1 - (recheck?.count ?? 0))?.at ?? checkedAt };
}

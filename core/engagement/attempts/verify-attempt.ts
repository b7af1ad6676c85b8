/** The verification of a claim: the handler of `verify-attempt` jobs. */
import { DomainError } from '../../errors.ts';
import type { JobContext } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Attempt } from '../attempt.ts';
import type { AttemptCommand } from '../attempt-machine.ts';
import type { Challenge } from '../campaign.ts';
import { earliestMatch, findLikes, findMatch, type Match, type MatchingStorage } from '../matching.ts';
import { sawAllLikers } from '../sweeps/fetch-likers.ts';
import { isDefinitive, isOutOfReach, isPlatformFailure } from '../sweeps/platform-failure.ts';
import { type AttemptFacts, loadAttemptFacts } from './load-facts.ts';
import { type AttemptDeps, tryMove } from './move-attempt.ts';

/** Reads the platform into storage. Ends when storage holds the result; rejects with the platform's failure. */
export type Refresh = (
  challengeId: number,
  options: {
    readonly signal: AbortSignal;
    /** A reading under way that began earlier is not enough. */
    readonly freshSince: Date;
  },
) => Promise<unknown>;

export interface VerifyAttemptDeps extends AttemptDeps {
  readonly storage: AttemptDeps['storage'] & MatchingStorage;
  readonly refreshComments: Refresh;
  readonly refreshLikers: Refresh;
  readonly logger: Logger;
}

/** Runs of one verification job before the post counts as unreadable and the claim is handed back to the creator. */
const MAX_RUNS = 3;
/** A platform that wants to be left alone for longer than this is not waited for. */
const MAX_RETRY_AFTER_SECONDS = 15 * 60;
/** Refreshes in one run: one may take up an older sweep, the next reads anew. */
const MAX_REFRESHES = 3;

/**
 * Looks for the creator of a pending attempt, first in what is stored, then on the platform, and records what came out:
 * `verified`; `failed_retryable` or `failed_terminal` when a reading begun after the claim reached the end without finding
 * the creator; `awaiting_claim` when the post could not be read. Replies that are out of reach for this instance altogether
 * (no session) do not keep a reading from counting as complete: otherwise no claim could ever fail.
 *
 * Safe to repeat and to run twice at a time: an attempt that is not pending any more is left alone, and what a run found
 * out counts for the very claim that it looked at only.
 * @throws the platform's passing failures, for the job queue to retry
 */
export function verifyAttempt(deps: VerifyAttemptDeps) {
  return async (payload: { readonly attemptId: number }, context: JobContext): Promise<void> => {
    const attempt = await deps.storage.attempts.find(payload.attemptId);
    if (attempt === null || attempt.state !== 'verification_pending') return;
    const facts = await loadAttemptFacts(deps.storage, attempt);
    const { command, match } = await look(deps, attempt, facts, context);
    const moved = await tryMove(deps, attempt, facts, { command, username: match?.handle });
    if (moved !== null) void deps.relay.nudge(attempt.id);
  };
}

interface Finding {
  readonly command: AttemptCommand;
  readonly match?: Match;
}

async function look(
  deps: VerifyAttemptDeps,
  attempt: Attempt,
  facts: AttemptFacts,
  { run, signal }: JobContext,
): Promise<Finding> {
  try {
    const match = await search(deps, attempt, facts, signal);
    return match
      ? { command: { type: 'record-match', comment: match.comment }, match }
      : { command: { type: 'record-no-match' } };
  } catch (error) {
    // Stopped, not refused: another run takes it up.
    if (signal.aborted || !isPlatformFailure(error)) throw error;
    const worthWaiting = (error.retryAfterSeconds ?? 0) <= MAX_RETRY_AFTER_SECONDS;
    const mayPass = !isDefinitive(error) && !isOutOfReach(error) && worthWaiting;
    if (mayPass && run < MAX_RUNS) throw error;
    deps.logger.info({ attemptId: attempt.id, code: error.code, run }, 'verification given up: post not readable');
    return { command: { type: 'record-unreadable', why: reasonOf(error) } };
  }
}

/** Null only if a reading that began after the claim has seen everything. @throws the platform's failures */
async function search(
  deps: VerifyAttemptDeps,
  attempt: Attempt,
  { challenge, handles: handlesBefore }: AttemptFacts,
  signal: AbortSignal,
): Promise<Match | null> {
  const since = claimedAt(attempt);
  const refresh = challenge.action === 'like' ? deps.refreshLikers : deps.refreshComments;
  let handles = handlesBefore;
  for (let refreshes = 0; handles.length > 0; refreshes += 1) {
    const { match, isConclusive } = await lookUp(deps.storage, challenge, handles, since);
    if (match !== null || isConclusive) return match;
    if (refreshes === MAX_REFRESHES) {
      throw new DomainError('PLATFORM_UNAVAILABLE', 'The post could not be read to its end.', {
        details: { reason: 'partial' },
      });
    }
    await refresh(challenge.id, { signal, freshSince: since });
    // Reading takes minutes: a handle may have been disconnected or linked meanwhile.
    ({ handles } = await loadAttemptFacts(deps.storage, attempt));
  }
  return null;
}

interface LookUp {
  readonly match: Match | null;
  /** What was looked through is of a reading that began after the claim and left nobody out. */
  readonly isConclusive: boolean;
}

/** What storage knows. Many claims at one post share a reading. */
async function lookUp(
  storage: MatchingStorage,
  challenge: Challenge,
  handles: readonly string[],
  since: Date,
): Promise<LookUp> {
  if (challenge.action === 'like') {
    // One fetch for both questions: the one that is complete while this looks may be a smaller one.
    const fetch = await storage.likers.latestCompleted(challenge.id);
    const match = earliestMatch(await findLikes(storage, fetch, handles), handles);
    const isConclusive = fetch !== null && sawAllLikers(fetch) && (fetch.startedAt ?? fetch.requestedAt) >= since;
    return { match, isConclusive };
  }
  // Asked first: what another reading stores while this one looks was not looked through.
  const sweep = await storage.comments.sweep(challenge.id);
  const isConclusive = sweep !== null && sweep.status === 'swept' && sweep.startedAt >= since;
  return { match: await findMatch(storage, challenge, handles), isConclusive };
}

/** The code and, where the platform's adapter names one, what exactly was in the way. */
function reasonOf(error: DomainError): string {
  const reason = error.details?.reason;
  return typeof reason === 'string' ? `${error.code} (${reason.slice(0, 100)})` : error.code;
}

function claimedAt(attempt: Attempt): Date {
  return attempt.stateHistory.at(-1)?.at ?? attempt.updatedAt;
}

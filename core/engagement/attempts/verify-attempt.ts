/** The verification of a claim: the handler of `verify-attempt` jobs. */
import type { DomainError } from '../../errors.ts';
import type { JobContext } from '../../ports/job-queue.ts';
import { isOutOfReach, isPermanent, isPlatformFailure } from '../challenge-data/platform-failure.ts';
import type { SocialAccount } from '../creators/creator.ts';
import { refreshAccount } from '../creators/refresh-profile.ts';
import { nearMiss, type UnmetRule } from '../rules/unmet-rules.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand } from './attempt-command.ts';
import type { EventFacts } from './attempt-events.ts';
import { type RecheckPolicy, recheckDelay } from './deadline.ts';
import { type FindCreatorDeps, findCreator, type Together } from './find-creator.ts';
import { loadAttemptFacts } from './load-facts.ts';
import type { Found } from './look-up.ts';
import { createFindMatch } from './matching.ts';
import { type AttemptDeps, tryMove } from './move-attempt.ts';
import { noted } from './next-state.ts';
import { createRemember, followHandle } from './own-account.ts';
import { createPostReads } from './post-reads.ts';
import { judgeAccount, MET, needsProfile, profileNow } from './requirements.ts';
import { createFindSignals } from './signals.ts';
import { rulesOf } from './states.ts';
import { undecided, unknownOfAccount, unreadable } from './waiting.ts';

export type VerifyAttemptDeps = AttemptDeps &
  Needs<'audit' | 'comments' | 'likers', 'platforms'> &
  FindCreatorDeps &
  RecheckPolicy;

type Deps = VerifyAttemptDeps & Together & { readonly findSignals: ReturnType<typeof createFindSignals> };

/** Runs of one verification job before the post counts as unreadable and the claim is handed back to the creator. */
const MAX_RUNS = 3;
/** A platform that wants to be left alone for longer than this is not waited for. */
const MAX_RETRY_AFTER_SECONDS = 15 * 60;

/**
 * Looks for the creator of a pending attempt, first in what is stored, then on the platform, and records the outcome:
 * - `verified`;
 * - `failed_retryable` or `failed_terminal` if a reading begun after the claim proves that the creator is missing
 *   (`core/engagement/attempts/absence.ts`);
 * - `failed_retryable` or `failed_terminal` also if the account is not what the challenge requires;
 * - `awaiting_claim`, to be checked again, if the post could not be read, or if too many of its comments are missing. Also if the
 *   platform does not tell what is required of the account.
 *
 * Safe to repeat and to run twice at a time. A run does not change an attempt that is no longer pending. Its result counts only
 * for the claim that it looked at.
 * A long post takes several runs, up to its end or the deadline of the attempt. Each run continues where the last one stopped.
 * @throws the platform's transient failures, for the job queue to retry; `RescheduleError` for the next run over a long post
 */
export function verifyAttempt(deps: VerifyAttemptDeps) {
  const { storage, clock } = deps;
  const together = {
    postReads: createPostReads(clock),
    findMatch: createFindMatch(storage),
    remember: createRemember(storage),
    findSignals: createFindSignals(deps),
  };
  return async (payload: { readonly attemptId: number }, context: JobContext): Promise<void> => {
    const attempt = await storage.attempts.find(payload.attemptId);
    if (attempt === null || rulesOf(attempt.state).awaits !== 'verify-attempt') return;
    const facts = await loadAttemptFacts(storage, attempt);
    const { command, username } = await look({ ...deps, ...together }, attempt, facts, context);
    await tryMove(deps, attempt, facts, { command, username });
  };
}

/** What is to be done, and the handle that was found. */
interface Finding {
  readonly command: AttemptCommand;
  readonly username?: string;
}

async function look(deps: Deps, attempt: Attempt, facts: EventFacts, { run, signal }: JobContext): Promise<Finding> {
  try {
    const found = await findCreator(deps, attempt, facts, signal);
    if (found.kind === 'match') return await decideOnMatches(deps, attempt, facts, found, signal);
    const { absence, others, unmet } = found;
    const missed = unmet && nearMiss(unmet);
    const why = [others, missed].filter((part) => part !== null).join('; ') || null;
    if (absence.isProven) return { command: { type: 'record-no-match', why, unmet } };
    deps.logger.info({ attemptId: attempt.id, why: absence.why }, 'claim undecided: it is checked again');
    const unproven = [others === null ? absence.why : `${others}, and ${absence.why}`, missed];
    return { command: handBack(deps, attempt, undecided(unproven.filter((part) => part !== null).join('; ')), unmet) };
  } catch (error) {
    // Stopped, not refused: another run takes it up.
    if (signal.aborted || !isPlatformFailure(error)) throw error;
    const worthWaiting = (error.retryAfterSeconds ?? 0) <= MAX_RETRY_AFTER_SECONDS;
    const mayPass = !isPermanent(error) && !isOutOfReach(error) && worthWaiting;
    if (mayPass && run < MAX_RUNS) {
      await noteRefusal(deps, attempt, error);
      throw error;
    }
    deps.logger.info(
      { attemptId: attempt.id, code: error.code, run },
      'verification stopped: the post cannot be read; the claim was handed back',
    );
    return { command: handBack(deps, attempt, unreadable(error)) };
  }
}

/** Of several accounts that match, the first that is what the challenge requires counts, or else one of which that is not known. */
async function decideOnMatches(
  deps: Deps,
  attempt: Attempt,
  facts: EventFacts,
  first: Extract<Found, { readonly kind: 'match' }>,
  signal: AbortSignal,
): Promise<Finding> {
  const tried = new Set<number>();
  const isLeft = ({ id }: SocialAccount) => !tried.has(id);
  const accountsOf = async (userId: number) => (await deps.storage.creators.accountsOf(userId)).filter(isLeft);
  const others = { ...deps, storage: { ...deps.storage, creators: { accountsOf } } };
  let finding = await decideOnMatch(deps, attempt, facts, first, signal);
  for (let { link } = first; finding.command.type !== 'record-match'; ) {
    tried.add(link.id);
    const found = await findCreator(others, attempt, facts, signal);
    if (found.kind === 'no-match') {
      // The comment of another account may be among those that could not be read.
      if (found.absence.isProven || finding.command.type !== 'record-no-match') return finding;
      return { command: handBack(deps, attempt, undecided(found.absence.why)) };
    }
    const other = await decideOnMatch(deps, attempt, facts, found, signal);
    if (other.command.type !== 'record-no-match') finding = other;
    link = found.link;
  }
  return finding;
}

/** A match counts if its account is what the challenge requires. The account's profile is read only if that needs it. */
async function decideOnMatch(
  deps: Deps,
  attempt: Attempt,
  facts: EventFacts,
  found: Extract<Found, { readonly kind: 'match' }>,
  signal: AbortSignal,
): Promise<Finding> {
  const { handle: username, note } = await followHandle(deps, found);
  const { requires } = facts.challenge;
  let link = { ...found.link, platformUsername: username };
  if (requires && needsProfile(requires)) {
    const call = { caller: `creator:${facts.creator.externalId}`, signal };
    link = await profileNow(link, () => refreshAccount(deps, link, call));
  }
  const { kind, names } = requires ? judgeAccount(requires, link, deps.clock.now()) : MET;
  if (kind === 'unknown') return { command: handBack(deps, attempt, unknownOfAccount(names)), username };
  if (kind === 'unmet') return { command: { type: 'record-no-match', why: nearMiss(names), unmet: names }, username };
  const signals = await deps.findSignals(facts, { match: found.match, link });
  return { command: { type: 'record-match', comment: found.match.comment, note, signals }, username };
}

function handBack(
  deps: VerifyAttemptDeps,
  attempt: Attempt,
  why: string,
  unmet: readonly UnmetRule[] | null = null,
): AttemptCommand {
  return { type: 'hand-back', why, unmet, recheckInMs: recheckDelay(attempt, deps) };
}

/** The job waits for its next run, and the attempt says why. If another process moves it meanwhile, there is nothing to say. */
async function noteRefusal({ storage, clock }: Deps, attempt: Attempt, error: DomainError): Promise<void> {
  const at = new Date(clock.now().getTime() + (error.retryAfterSeconds ?? 0) * 1_000);
  const recheck = { at, count: attempt.recheck?.count ?? 0, why: unreadable(error) };
  await storage.attempts.transition(attempt, noted(attempt, { recheck }).after, []);
}

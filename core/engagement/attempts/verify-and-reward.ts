/** The batch that verifies and rewards everyone who has fulfilled a challenge already. */
import { pieces } from '../../bulk.ts';
import { isDomainError } from '../../errors.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import { verifiedOutbox } from './attempt-machine.ts';
import { type NewsStorage, newlyMatching } from './match-news.ts';
import { earliestMatch, findMatches, type Match, MOST_HANDLES } from './matching.ts';
import { type AttemptDeps, attemptContext, tryMove } from './move-attempt.ts';
import { newVerifiedAttempt } from './new-attempt.ts';
import { isRewarded, rulesOf } from './states.ts';

export interface VerifyAndRewardDeps extends AttemptDeps {
  readonly storage: AttemptDeps['storage'] & NewsStorage;
  /** Links, handles or comments looked at in one round, at most 1,000; 500 by default. */
  readonly round?: number;
}

export interface BatchResult {
  /** Creators without an attempt who have fulfilled the challenge. */
  readonly matched: number;
  /** Attempts created in `verified`; fewer than matched when others created attempts meanwhile. */
  readonly verified: number;
  /** Rewards issued before the call returned; those missing follow as jobs. */
  readonly rewarded: number;
}

/** A storage that writes what comes together in one go flushes once for so many. More would hold the event loop. */
const REWARDED_TOGETHER = 128;

interface Candidate extends Match {
  readonly creator: Creator;
}

/**
 * Matches every creator with an active handle on the challenge's platform and without an attempt against the stored
 * comments (or likers). Creates their attempts in `verified` and issues the rewards. Reads storage only: refresh the comments
 * first. Works on ended campaigns too. Costs what is new since the last run (`match-news.ts`). The first time it costs the
 * smaller side. Safe to repeat and to run twice at a time. Attempts are unique, and a run that is cut off leaves complete
 * attempts whose rewards follow as jobs. The next run continues where it stopped.
 * @throws DomainError `NOT_FOUND`
 */
export function verifyAndReward(deps: VerifyAndRewardDeps) {
  return async (input: { readonly campaignId: number }): Promise<BatchResult> => {
    const found = await requireCampaign(deps.storage, input.campaignId);
    let [matched, verified, rewarded] = [0, 0, 0];
    for await (const creatorIds of newlyMatching(deps.storage, found.challenge, deps.round)) {
      const candidates = await findCandidates(deps.storage, found, creatorIds);
      matched += candidates.length;
      const created = await createAttempts(deps, found, candidates);
      verified += created.length;
      // Handed over before the rewards, so that `creator.verified` sets out ahead of `reward.issued`.
      const ids = created.map(({ attempt }) => attempt.id);
      if (ids.length > 0) await deps.relay.nudgeMany(ids);
      rewarded += await rewardAll(deps, found, created);
      if (ids.length > 0) void deps.relay.nudgeMany(ids);
    }
    return { matched, verified, rewarded };
  };
}

/** Of these creators those who match and have no attempt yet, each with the earliest comment over all active handles. */
async function findCandidates(
  storage: VerifyAndRewardDeps['storage'],
  { challenge }: CampaignWithChallenge,
  creatorIds: readonly number[],
): Promise<readonly Candidate[]> {
  const taken = await storage.attempts.creatorsWithAttempt(challenge.id, creatorIds);
  const links = await storage.matching.linksOf(
    challenge.platform,
    creatorIds.filter((id) => !taken.has(id)),
  );
  const handles = [...new Set(links.map(({ account }) => account.platformUsername))];
  const matches = new Map<string, Match>();
  for (const some of pieces(handles, MOST_HANDLES)) {
    for (const [handle, match] of await findMatches(storage, challenge, some)) matches.set(handle, match);
  }
  return [...Map.groupBy(links, ({ creator }) => creator.id).values()].flatMap((own) => {
    const match = earliestMatch(
      matches,
      own.map(({ account }) => account.platformUsername),
    );
    const [first] = own;
    return match === null || first === undefined ? [] : [{ creator: first.creator, ...match }];
  });
}

interface CreatedAttempt {
  readonly attempt: Attempt;
  readonly candidate: Candidate;
}

async function createAttempts(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  candidates: readonly Candidate[],
): Promise<readonly CreatedAttempt[]> {
  if (candidates.length === 0) return [];
  const results = await deps.storage.attempts.createMany(
    candidates.map(({ creator, handle, comment }) => {
      const context = attemptContext(deps, { ...found, creator, username: handle });
      const { now, challenge } = context;
      return {
        attempt: newVerifiedAttempt({ userId: creator.id, challengeId: challenge.id, username: handle, now }, comment),
        outbox: (attemptId: number) => verifiedOutbox(attemptId, comment, context),
      };
    }),
  );
  return results.flatMap((result, index) => {
    const candidate = candidates[index];
    return result.kind === 'created' && candidate ? [{ attempt: result.attempt, candidate }] : [];
  });
}

/** Issues rewards without waiting for their jobs, which then find nothing left to do. Returns how many it issued. */
async function rewardAll(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  created: readonly CreatedAttempt[],
): Promise<number> {
  let rewarded = 0;
  for (const some of pieces(created, REWARDED_TOGETHER)) {
    const outcomes = await Promise.all(some.map((each) => rewardNow(deps, found, each)));
    rewarded += outcomes.filter(Boolean).length;
  }
  return rewarded;
}

async function rewardNow(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  { attempt, candidate }: CreatedAttempt,
): Promise<boolean> {
  const facts = { ...found, creator: candidate.creator, username: candidate.handle };
  try {
    // Null: the reward's job was faster. That reward was issued within this call as well.
    const moved = await tryMove(deps, attempt, facts, { command: { type: 'issue-reward' } });
    if (moved !== null) return moved.changed;
    const current = await deps.storage.attempts.find(attempt.id);
    return current !== null && isRewarded(rulesOf(current.state));
  } catch (error) {
    if (isDomainError(error, 'SERVICE_UNAVAILABLE')) return false;
    throw error;
  }
}

/** The batch that verifies and rewards everyone who has fulfilled a challenge already. */
import { isDomainError } from '../../errors.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator, LinkedCreator } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import { verifiedOutbox } from './attempt-machine.ts';
import { earliestMatch, findMatches, type Match, type MatchingStorage } from './matching.ts';
import { type AttemptDeps, attemptContext, tryMove } from './move-attempt.ts';
import { newVerifiedAttempt } from './new-attempt.ts';
import { isRewarded, rulesOf } from './states.ts';

export interface VerifyAndRewardDeps extends AttemptDeps {
  readonly storage: AttemptDeps['storage'] & MatchingStorage;
}

export interface BatchResult {
  /** Creators without an attempt who have fulfilled the challenge. */
  readonly matched: number;
  /** Attempts created in `verified`; fewer than matched when others created attempts meanwhile. */
  readonly verified: number;
  /** Rewards issued before the call returned; those missing follow as jobs. */
  readonly rewarded: number;
}

/** Creators looked at in one round; what is in memory is one round. */
const PAGE = 500;
const REWARDS_AT_ONCE = 16;

interface Candidate extends Match {
  readonly creator: Creator;
}

/**
 * Matches every creator with an active handle on the challenge's platform and without an attempt against the stored
 * comments (or likers). Creates their attempts in `verified` and issues the rewards. Reads storage only: refresh the comments
 * first. Works on ended campaigns too. Linear in creators. Safe to repeat and to run twice at a time. Attempts are unique,
 * and a run that is cut off leaves complete attempts whose rewards follow as jobs.
 * @throws DomainError `NOT_FOUND`
 */
export function verifyAndReward(deps: VerifyAndRewardDeps) {
  return async (input: { readonly campaignId: number }): Promise<BatchResult> => {
    const found = await requireCampaign(deps.storage, input.campaignId);
    const { creators } = deps.storage;
    const { platform } = found.challenge;
    let [matched, verified, rewarded] = [0, 0, 0];
    let page = await creators.linkedCreators(platform, 0, PAGE);
    for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
      const candidates = await findCandidates(deps, found, page);
      matched += candidates.length;
      const created = await createAttempts(deps, found, candidates);
      verified += created.length;
      // Handed over before the rewards, so that `creator.verified` sets out ahead of `reward.issued`.
      const ids = created.map(({ attempt }) => attempt.id);
      if (ids.length > 0) await deps.relay.nudgeMany(ids);
      rewarded += await rewardAll(deps, found, created);
      if (ids.length > 0) void deps.relay.nudgeMany(ids);
      page = await creators.linkedCreators(platform, last.account.id, PAGE);
    }
    return { matched, verified, rewarded };
  };
}

async function findCandidates(
  deps: VerifyAndRewardDeps,
  { challenge }: CampaignWithChallenge,
  linked: readonly LinkedCreator[],
): Promise<readonly Candidate[]> {
  const handles = [...new Set(linked.map(({ account }) => account.platformUsername))];
  const matches = await findMatches(deps.storage, challenge, handles);
  const byCreator = new Map<number, { readonly creator: Creator; readonly handles: string[] }>();
  for (const { creator, account } of linked) {
    if (!matches.has(account.platformUsername)) continue;
    const entry = byCreator.get(creator.id) ?? { creator, handles: [] };
    entry.handles.push(account.platformUsername);
    byCreator.set(creator.id, entry);
  }
  if (byCreator.size === 0) return [];
  const taken = await deps.storage.attempts.creatorsWithAttempt(challenge.id, [...byCreator.keys()]);
  return [...byCreator.values()].flatMap(({ creator, handles: own }) => {
    const match = taken.has(creator.id) ? null : earliestMatch(matches, own);
    return match === null ? [] : [{ creator, ...match }];
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
  let issued = 0;
  for (let start = 0; start < created.length; start += REWARDS_AT_ONCE) {
    const outcomes = await Promise.all(
      created.slice(start, start + REWARDS_AT_ONCE).map((each) => rewardNow(deps, found, each)),
    );
    issued += outcomes.filter(Boolean).length;
  }
  return issued;
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

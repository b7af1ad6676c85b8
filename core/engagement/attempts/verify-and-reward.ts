/** The batch that verifies and rewards everyone who has fulfilled a challenge already. */
import { pieces } from '../../bulk.ts';
import type { PendingOutbox } from '../../ports/attempt-store.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { OutboxRelay } from '../webhooks/outbox-relay.ts';
import { rewarded, rewardedOutbox } from './attempt-machine.ts';
import { type MayMatch, type NewsStorage, newlyMatching } from './match-news.ts';
import { earliestMatch, findMatches, type Match, MOST_HANDLES } from './matching.ts';
import { type AttemptDeps, attemptContext } from './move-attempt.ts';
import { newVerifiedAttempt } from './new-attempt.ts';

export interface VerifyAndRewardDeps extends Omit<AttemptDeps, 'relay'> {
  readonly storage: AttemptDeps['storage'] & NewsStorage;
  readonly relay: Pick<OutboxRelay, 'handOver'>;
  /** Links, handles or comments looked at in one round, at most 1,000; 500 by default. */
  readonly round?: number;
}

export interface BatchResult {
  /** Creators without an attempt who have fulfilled the challenge. */
  readonly matched: number;
  /** Attempts created; fewer than matched when others created attempts meanwhile. */
  readonly verified: number;
  /** Rewards issued: one for each attempt created. */
  readonly rewarded: number;
}

interface Candidate extends Match {
  readonly creator: Creator;
}

/**
 * Matches every creator with an active handle on the challenge's platform and without an attempt against the stored
 * comments (or likers). Each attempt is verified and rewarded in the write that creates it. Reads storage only: refresh the comments
 * first. Works on ended campaigns too. Costs what is new since the last run (`match-news.ts`). The first time it costs the
 * smaller side. Safe to repeat and to run twice at a time. Attempts are unique, and a run that is cut off leaves complete
 * attempts whose events follow from their outboxes. The next run continues where it stopped.
 * @throws DomainError `NOT_FOUND`
 */
export function verifyAndReward(deps: VerifyAndRewardDeps) {
  return async (input: { readonly campaignId: number }): Promise<BatchResult> => {
    const found = await requireCampaign(deps.storage, input.campaignId);
    let [matched, created] = [0, 0];
    // The events of one round are handed over while the next round is compared and stored.
    let handedOver = Promise.resolve();
    for await (const some of newlyMatching(deps.storage, found.challenge, deps.round)) {
      const candidates = await findCandidates(deps.storage, found, some);
      matched += candidates.length;
      const stored = await createAttempts(deps, found, candidates);
      created += stored.length;
      await handedOver;
      handedOver = deps.relay.handOver(stored);
    }
    await handedOver;
    return { matched, verified: created, rewarded: created };
  };
}

/** Of these creators those who match and have no attempt yet, each with the earliest comment over all active handles. */
async function findCandidates(
  storage: VerifyAndRewardDeps['storage'],
  { challenge }: CampaignWithChallenge,
  { creatorIds, known }: MayMatch,
): Promise<readonly Candidate[]> {
  const taken = await storage.attempts.creatorsWithAttempt(challenge.id, creatorIds);
  const links = await storage.matching.linksOf(
    challenge.platform,
    creatorIds.filter((id) => !taken.has(id)),
  );
  const matches = new Map(known);
  const unknown = new Set(links.map(({ account }) => account.platformUsername).filter((handle) => !known.has(handle)));
  for (const some of pieces([...unknown], MOST_HANDLES)) {
    for (const [handle, match] of await findMatches(storage, challenge, some)) matches.set(handle, match);
  }
  return [...Map.groupBy(links, ({ creator }) => creator.id).values()].flatMap((own) => {
    const match = earliestMatch(
      matches,
      own.map(({ account }) => account.platformUsername),
    );
    return match === null ? [] : own.slice(0, 1).map(({ creator }) => ({ creator, ...match }));
  });
}

/** Returns the outboxes of the attempts that this call created. */
async function createAttempts(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  candidates: readonly Candidate[],
): Promise<readonly PendingOutbox[]> {
  if (candidates.length === 0) return [];
  const outboxes = new Map<number, PendingOutbox>();
  const results = await deps.storage.attempts.createMany(
    candidates.map(({ creator, handle, comment }) => {
      const context = attemptContext(deps, { ...found, creator, username: handle });
      const { now, challenge } = context;
      const verified = newVerifiedAttempt(
        { userId: creator.id, challengeId: challenge.id, username: handle, now },
        comment,
      );
      const attempt = rewarded(verified, context);
      return {
        attempt,
        outbox(attemptId: number) {
          const entries = rewardedOutbox(attemptId, attempt, context);
          outboxes.set(attemptId, { attemptId, entries });
          return entries;
        },
      };
    }),
  );
  return results.flatMap((result) => (result.kind === 'created' ? (outboxes.get(result.attempt.id) ?? []) : []));
}

/** The batch that verifies and rewards everyone who has fulfilled a challenge already. */
import type { PendingOutbox } from '../../ports/attempt-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { OutboxRelay } from '../webhooks/outbox-relay.ts';
import { rewarded, rewardedOutbox } from './attempt-machine.ts';
import { type MayMatch, type NewsStorage, newlyMatching } from './match-news.ts';
import { earliestMatch, type LinkMatch, matchesOfLinks } from './matching.ts';
import { type AttemptDeps, attemptContext } from './move-attempt.ts';
import { newVerifiedAttempt } from './new-attempt.ts';
import { followHandle, type NamedMatch, rememberAccounts } from './own-account.ts';

export interface VerifyAndRewardDeps extends Omit<AttemptDeps, 'relay'> {
  readonly storage: AttemptDeps['storage'] & NewsStorage & Pick<Storage, 'audit'>;
  readonly relay: Pick<OutboxRelay, 'handOver'>;
  /** Links, authors or comments looked at in one round, at most 1,000; 500 by default. */
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

interface Candidate extends LinkMatch {
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

/** Of these creators those who match and have no attempt yet, each with the earliest comment over all active links. */
async function findCandidates(
  storage: VerifyAndRewardDeps['storage'],
  { challenge }: CampaignWithChallenge,
  { creatorIds, known }: MayMatch,
): Promise<readonly Candidate[]> {
  const taken = await storage.attempts.creatorsWithAttempt(challenge.id, creatorIds);
  const standing: Candidate[] = [];
  for (let ids = creatorIds.filter((id) => !taken.has(id)); ids.length > 0; ) {
    const links = await storage.matching.linksOf(challenge.platform, ids);
    const matches = await matchesOfLinks(
      storage,
      challenge,
      links.map(({ account }) => account),
      known,
    );
    const found = [...Map.groupBy(links, ({ creator }) => creator.id).values()].flatMap((own) => {
      const match = earliestMatch(
        matches,
        own.map(({ account }) => account),
      );
      return match === null ? [] : own.slice(0, 1).map(({ creator }) => ({ creator, ...match }));
    });
    const remembered = await rememberAccounts(storage, found);
    standing.push(...remembered);
    // Another process matched the link by another account, or it ended: what it is known by now is compared.
    const ofStanding = new Set(remembered);
    ids = found.flatMap((candidate) => (ofStanding.has(candidate) ? [] : candidate.creator.id));
  }
  return standing;
}

/** Returns the outboxes of the attempts that this call created. */
async function createAttempts(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  candidates: readonly Candidate[],
): Promise<readonly PendingOutbox[]> {
  if (candidates.length === 0) return [];
  const outboxes = new Map<number, PendingOutbox>();
  const named = new Map<Candidate, NamedMatch>();
  // Few accounts are renamed, so one after the other.
  for (const candidate of candidates) named.set(candidate, await followHandle(deps, candidate));
  const results = await deps.storage.attempts.createMany(
    [...named].map(([{ creator, match }, { handle, note }]) => {
      const context = attemptContext(deps, { ...found, creator, username: handle });
      const { now, challenge } = context;
      const facts = { userId: creator.id, challengeId: challenge.id, username: handle, now };
      const attempt = rewarded(newVerifiedAttempt(facts, match.comment, note), context);
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

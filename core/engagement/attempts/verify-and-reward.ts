/** The batch that verifies and rewards everyone who has fulfilled a challenge already. */
import type { PendingOutbox } from '../../ports/outbox-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge, Challenge } from '../campaigns/campaign.ts';
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator, LinkedCreator } from '../creators/creator.ts';
import { rewarded } from './attempt-machine.ts';
import { type Candidate, matchCreators, unattemptedLinks } from './candidates.ts';
import { type AttemptDeps, attemptContext } from './move-attempt.ts';
import { newVerifiedAttempt } from './new-attempt.ts';
import { outboxOf } from './next-state.ts';
import { followHandle, type NamedMatch, rememberAccounts } from './own-account.ts';
import { findSignals, type SignalDeps } from './signals.ts';
import { rulesOf } from './states.ts';
import { paysAtOnce } from './why-held.ts';

export interface VerifyAndRewardDeps extends AttemptDeps, SignalDeps {
  readonly storage: AttemptDeps['storage'] & Pick<Storage, 'audit' | 'comments' | 'likers'>;
  /** Most creators that are compared in one round, at most 1,000, as by default. */
  readonly round?: number;
}

const ROUND = 1_000;

export interface BatchResult {
  /** Creators without an attempt who have fulfilled the challenge. */
  readonly matched: number;
  /** Attempts created; fewer than matched when others created attempts meanwhile. */
  readonly verified: number;
  /** Rewards issued: one for each attempt created. None if something may hold them: then jobs issue them. */
  readonly rewarded: number;
}

/**
 * Matches every creator with an active handle on the challenge's platform and without an attempt against the stored
 * comments (or likers). Each attempt is verified, and rewarded if the campaign pays at once, in the write that creates it. Reads storage
 * only: refresh the comments first. Who does not meet `requires` by the stored profile is left out. Works on ended campaigns too. Every
 * run compares all active links, some hundred at a time, and lets other work of the process
 * run in between. Safe to repeat and to run twice at a time. Attempts are unique, and a run that is cut off leaves complete
 * attempts whose events follow from their outboxes.
 * @throws DomainError `NOT_FOUND`
 */
export function verifyAndReward(deps: VerifyAndRewardDeps) {
  const { storage, relay, clock, round = ROUND } = deps;
  return async (input: { readonly campaignId: number }): Promise<BatchResult> => {
    let found = await requireCampaign(storage, input.campaignId);
    let [matched, created, handedOver] = [0, 0, Promise.resolve()];
    for await (const links of unattemptedLinks(storage, found.challenge, round)) {
      const candidatesNow = () => findCandidates(storage, found, links, clock.now());
      let candidates = await candidatesNow();
      if (matched === 0 && candidates.length > 0) {
        await storage.campaigns.fixPoints(found.challenge.id);
        found = await requireCampaign(storage, input.campaignId);
        // They may have been others until they were fixed.
        if (found.challenge.rules || found.challenge.requires) candidates = await candidatesNow();
      }
      matched += candidates.length;
      const stored = await createAttempts(deps, found, candidates);
      created += stored.length;
      await handedOver;
      // While the next ones are compared.
      handedOver = relay.handOver(stored);
    }
    await handedOver;
    return { matched, verified: created, rewarded: paysAtOnce(found) ? created : 0 };
  };
}

/** Of these creators those who match with an account that is what the challenge requires. Their accounts are remembered. */
async function findCandidates(
  storage: VerifyAndRewardDeps['storage'],
  asked: CampaignWithChallenge,
  links: readonly LinkedCreator[],
  now: Date,
): Promise<readonly Candidate[]> {
  const standing: Candidate[] = [];
  for (let left = links; left.length > 0; ) {
    const found = await matchCreators(storage, asked, left, now);
    const remembered = await rememberAccounts(storage, found);
    standing.push(...remembered);
    // Another process matched the link by another account, or it ended: what it is known by now is compared.
    const ofStanding = new Set(remembered);
    const changed = found.filter((candidate) => !ofStanding.has(candidate));
    left = (await Promise.all(changed.map(({ creator }) => linksNow(storage, asked.challenge, creator)))).flat();
  }
  return standing.filter(({ verdict }) => verdict === 'met');
}

async function linksNow(
  { creators }: Pick<Storage, 'creators'>,
  { platform }: Challenge,
  creator: Creator,
): Promise<readonly LinkedCreator[]> {
  const accounts = await creators.accountsOf(creator.id);
  return accounts
    .filter((account) => account.platform === platform && account.disconnectedAt === null)
    .map((account) => ({ creator, account }));
}

/** Returns the outboxes of the attempts that this call created. */
async function createAttempts(
  deps: VerifyAndRewardDeps,
  found: CampaignWithChallenge,
  candidates: readonly Candidate[],
): Promise<readonly PendingOutbox[]> {
  if (candidates.length === 0) return [];
  const isPaid = paysAtOnce(found);
  const outboxes = new Map<number, PendingOutbox>();
  const named = new Map<Candidate, NamedMatch>();
  // Few accounts are renamed, so one after the other.
  for (const candidate of candidates) named.set(candidate, await followHandle(deps, candidate));
  const signals = await findSignals(deps, found, candidates);
  const results = await deps.storage.attempts.create(
    [...named].map(([candidate, { handle, note }]) => {
      const { creator, match } = candidate;
      const context = attemptContext(deps, { ...found, creator, username: handle });
      const { now, challenge } = context;
      const facts = { userId: creator.id, challengeId: challenge.id, username: handle, now };
      const verified = newVerifiedAttempt(facts, match.comment, note, signals.get(candidate));
      const attempt = isPaid ? rewarded(verified, context) : verified;
      return {
        attempt,
        outbox(attemptId: number) {
          const entries = outboxOf({ ...attempt, id: attemptId }, context, rulesOf(attempt.state).announces);
          outboxes.set(attemptId, { owner: `attempts:${attemptId}`, entries });
          return entries;
        },
      };
    }),
  );
  return results.flatMap((result) => (result.kind === 'created' ? (outboxes.get(result.attempt.id) ?? []) : []));
}

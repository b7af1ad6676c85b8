/** After a whole list of comments was read: what it tells about attempts, as pushes would have told. */
import { inPieces } from '../../bulk.ts';
import { isDomainError } from '../../errors.ts';
import type { JobContext, JobPayloads } from '../../ports/job-queue.ts';
import type { OfficialAccounts } from '../../ports/official-api.ts';
import { commentsAbsence, DEFAULT_ABSENCE_TOLERANCE, proofsOfLoss } from '../attempts/absence.ts';
import { type AnnounceRemovedDeps, announceRemoved } from '../attempts/announce-removed.ts';
import { type DecideByCommentsDeps, decideByComments } from '../attempts/decide-by-comments.ts';
import { findUnnumbered } from '../attempts/matching.ts';
import { lacksMost, type StillThereDeps } from '../attempts/still-there.ts';
import type { Campaign, CampaignWithChallenge } from '../campaigns/campaign.ts';
import { lastReading } from '../challenge-data/sweep-progress.ts';
import { knownAccountId, type LinkedCreator } from '../creators/creator.ts';
import type { Needs } from '../use-case-parts.ts';

export type SettleCommentsDeps = DecideByCommentsDeps & AnnounceRemovedDeps & Pick<StillThereDeps, 'absenceTolerance'>;

/** Creators that are compared in one go. */
const ROUND = 500;
/** A list may not show what was written just before it was read. */
const GRACE_MS = 10 * 60 * 1_000;

/**
 * Handles a `settle-comments` job. Comments that are proven to be gone (`proofsOfLoss`) are removed ones, but for replies if lists show
 * only some. Open attempts of creators whose comment is stored are decided. Safe to repeat.
 */
export function settleComments(deps: SettleCommentsDeps) {
  const { storage, clock, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE } = deps;
  return async (
    { challengeId }: JobPayloads['settle-comments'],
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> => {
    const found = await storage.campaigns.find({ challengeId });
    const sweep = await storage.comments.sweep(challengeId);
    const reading = lastReading(sweep);
    if (found === null || !reading?.isWhole) return;
    const { platform } = found.challenge;
    const proof = proofsOfLoss(sweep, absenceTolerance).find(({ readings, tolerance }) =>
      readings.every((one) => one.isWhole && commentsAbsence(one, tolerance).isProven),
    );
    if (proof !== undefined && !(await lacksMost(storage, challengeId, proof.readings))) {
      const unmetSince = new Date(Math.min(proof.since.getTime(), reading.startedAt.getTime() - GRACE_MS));
      const topLevelOnly = !deps.platforms.describe(platform).sweepsReplies;
      await storage.comments.withhold(challengeId, { unmetSince, now: clock.now(), topLevelOnly });
    }
    await announceRemoved(deps, found, reading.startedAt);
    const linksAfter = (last?: LinkedCreator) => storage.creators.activeLinks(platform, last?.creator.id ?? 0, ROUND);
    for await (const links of inPieces(linksAfter)) {
      signal.throwIfAborted();
      await decideByComments(deps, found, links, await toldSince(deps, found, links, reading.startedAt), signal);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

/** By which id the app knows the accounts that this reading was the first to show under handles of links. */
async function toldSince(
  { storage }: SettleCommentsDeps,
  { campaign, challenge }: CampaignWithChallenge,
  links: readonly LinkedCreator[],
  since: Date,
): Promise<ReadonlyMap<string, string>> {
  const unknown = links.filter(({ account }) => knownAccountId(account) !== null && !account.scopedAccountId);
  // Whose comments they are, whatever they say.
  const asked = { campaign, challenge: { ...challenge, rules: null } };
  const accounts = unknown.map(({ account }) => account);
  const found = await findUnnumbered(storage, asked, accounts);
  return new Map(
    [...found].flatMap(([handle, { scopedId, seenAt }]) =>
      scopedId === null || seenAt < since ? [] : [[handle, scopedId] as const],
    ),
  );
}

type ListAgainDeps = Needs<'campaigns', 'clock' | 'logger'> & {
  readonly accounts: Pick<OfficialAccounts, 'of'>;
  readonly refreshComments: (challengeId: number) => Promise<unknown>;
};

const PAGE = 100;

/**
 * Reads the comments of all running campaigns of brands with connected accounts, one after the other, on a slow schedule: a push may be
 * lost, and no platform pushes everything. Returns how many lists were read.
 */
export function listAgain(deps: ListAgainDeps) {
  const { storage, accounts, clock, logger, refreshComments } = deps;
  return async (): Promise<number> => {
    let read = 0;
    const runningAfter = async (last?: Campaign) => {
      const page = { page: 1, limit: PAGE, after: last && { id: last.id } };
      const state = { name: 'running', now: clock.now() } as const;
      return (await storage.campaigns.list(page, { state, sort: 'id' })).items;
    };
    for await (const campaigns of inPieces(runningAfter)) {
      for (const { id, brandId } of campaigns) {
        const challenge = (await storage.campaigns.find(id))?.challenge;
        if (challenge?.action !== 'comment' || (await accounts.of(challenge.platform, brandId)).length === 0) continue;
        try {
          await refreshComments(challenge.id);
          read += 1;
        } catch (err) {
          if (isDomainError(err, 'SERVICE_UNAVAILABLE')) throw err;
          logger.info({ challengeId: challenge.id, err }, 'comments of a connected account not listed');
        }
      }
    }
    return read;
  };
}

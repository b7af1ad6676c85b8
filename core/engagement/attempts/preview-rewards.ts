/** What `verifyAndReward` would do, without doing it. */
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Needs } from '../use-case-parts.ts';
import { matchCreators, unattemptedLinks } from './candidates.ts';
import { previewPlaces } from './reward-places.ts';
import { sharedHandles } from './signals.ts';

export type RewardsPreview = Awaited<ReturnType<ReturnType<typeof previewRewards>>>;

/** Creators that are compared in one go. */
const ROUND = 500;

/**
 * Tells whom `verifyAndReward` would verify and reward now: counts all, and names at most `limit` of them. Reads storage only, as that does, and writes nothing. It compares all active
 * links too, so it takes as long. @throws DomainError `NOT_FOUND`
 */
export function previewRewards(
  deps: Needs<'campaigns' | 'creators' | 'attempts' | 'comments' | 'likers' | 'places', 'clock'>,
) {
  const { storage } = deps;
  return async ({ campaignId, limit }: { readonly campaignId: number; readonly limit: number }) => {
    const found = await requireCampaign(storage, campaignId);
    const { campaign, challenge } = found;
    const { pointsReward, endsAt } = campaign;
    const paidAmong = previewPlaces(deps, found);
    let [matched, totalPoints, afterEnd, shared, ineligible] = [0, 0, 0, 0, 0];
    const rewards = [];
    for await (const links of unattemptedLinks(storage, challenge, ROUND)) {
      const now = deps.clock.now();
      const matching = await matchCreators(storage, found, links, now);
      const candidates = matching.filter(({ verdict }) => verdict === 'met');
      ineligible += matching.length - candidates.length;
      const sharedNow = await sharedHandles(storage, challenge.platform, candidates);
      const paid = await paidAmong(candidates, now);
      for (const candidate of candidates) {
        const { creator, match, link } = candidate;
        const { platformUsername } = link;
        // A limit of the campaign, or another reward of the account, would hold it.
        const points = paid.has(candidate) ? pointsReward : 0;
        const isAfterEnd = endsAt !== null && match.comment !== null && match.comment.commentedAt >= endsAt;
        const isShared = sharedNow.has(platformUsername);
        matched += 1;
        totalPoints += points;
        afterEnd += Number(isAfterEnd);
        shared += Number(isShared);
        if (rewards.length === limit) continue;
        rewards.push({ creator, platformUsername, matchedComment: match.comment, points, isAfterEnd, isShared });
      }
    }
    const told = { campaignId, matched, pointsReward, totalPoints, afterEnd, shared, rewards };
    return { ...told, ...(challenge.requires && { ineligible }) };
  };
}

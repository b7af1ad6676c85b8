/** What `verifyAndReward` would do, without doing it. */
import { requireCampaign } from '../campaigns/find-campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { Needs } from '../use-case-parts.ts';
import type { MatchedComment } from './attempt.ts';
import { matchCreators, unattemptedLinks } from './candidates.ts';
import { previewPlaces } from './reward-places.ts';

/** A creator who would be verified. */
export interface ExpectedReward {
  readonly creator: Creator;
  /** The linked handle that was matched. */
  readonly platformUsername: string;
  /** Null for a like. */
  readonly matchedComment: MatchedComment | null;
  /** 0 if a limit of the campaign, or another reward of the account, would hold the reward. */
  readonly points: number;
  /** The comment was written at the campaign's end or later. */
  readonly isAfterEnd: boolean;
  /** The handle is linked to several creators. */
  readonly isShared: boolean;
}

export interface RewardsPreview {
  readonly campaignId: number;
  /** How many creators would be verified. */
  readonly matched: number;
  /** For each of them for whom there is room. */
  readonly pointsReward: number;
  /** Of the rewards for which there is room. */
  readonly totalPoints: number;
  /** How many of the comments are from the end or later. */
  readonly afterEnd: number;
  /** How many of the handles are linked to several creators. */
  readonly shared: number;
  /** How many more match whose account is not what the challenge requires, by its stored profile. Absent if nothing is required. */
  readonly ineligible?: number;
  /** The first ones by id. */
  readonly rewards: readonly ExpectedReward[];
}

export interface PreviewInput {
  readonly campaignId: number;
  /** Most creators that are named; all are counted. */
  readonly limit: number;
}

/** As many as one call of `CreatorStore.linksOf` takes. */
const ROUND = 500;

/**
 * Tells whom `verifyAndReward` would verify and reward now. Reads storage only, as that does, and writes nothing. It compares all active
 * links too, so it takes as long. @throws DomainError `NOT_FOUND`
 */
export function previewRewards(
  deps: Needs<'campaigns' | 'creators' | 'attempts' | 'comments' | 'likers' | 'places', 'clock'>,
) {
  const { storage } = deps;
  return async ({ campaignId, limit }: PreviewInput): Promise<RewardsPreview> => {
    const found = await requireCampaign(storage, campaignId);
    const { campaign, challenge } = found;
    const { pointsReward, endsAt } = campaign;
    const paidAmong = previewPlaces(deps, found);
    let [matched, totalPoints, afterEnd, shared, ineligible] = [0, 0, 0, 0, 0];
    const rewards: ExpectedReward[] = [];
    for await (const links of unattemptedLinks(storage, challenge, ROUND)) {
      const now = deps.clock.now();
      const matching = await matchCreators(storage, found, links, now);
      const candidates = matching.filter(({ verdict }) => verdict === 'met');
      ineligible += matching.length - candidates.length;
      const handles = candidates.map(({ link }) => link.platformUsername);
      const linked = await storage.creators.linksOf(challenge.platform, handles);
      const byHandle = Map.groupBy(linked, ({ account }) => account.platformUsername);
      const paid = await paidAmong(candidates, now);
      for (const candidate of candidates) {
        const { creator, match, link } = candidate;
        const { platformUsername } = link;
        const points = paid.has(candidate) ? pointsReward : 0;
        const isAfterEnd = endsAt !== null && match.comment !== null && match.comment.commentedAt >= endsAt;
        const isShared = (byHandle.get(platformUsername)?.length ?? 0) > 1;
        matched += 1;
        totalPoints += points;
        afterEnd += Number(isAfterEnd);
        shared += Number(isShared);
        if (rewards.length === limit) continue;
        rewards.push({ creator, platformUsername, matchedComment: match.comment, points, isAfterEnd, isShared });
      }
    }
    const told = { campaignId, matched, pointsReward, totalPoints, afterEnd, shared, rewards };
    return challenge.requires ? { ...told, ineligible } : told;
  };
}

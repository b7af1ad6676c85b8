import type { Campaign, CampaignWithChallenge, Challenge } from '../engagement/campaigns/campaign.ts';
import type { Page, PageRequest } from './paging.ts';

/** A campaign before it has an id. */
export type NewCampaign = Omit<Campaign, 'id'>;
/** A challenge before it has an id. */
export type NewChallenge = Omit<Challenge, 'id' | 'campaignId'>;

/** What can be changed of a campaign and its challenge. */
export type CampaignChanges = Partial<
  Pick<
    Campaign,
    'title' | 'description' | 'imageUrl' | 'pointsReward' | 'isActive' | 'startsAt' | 'endsAt' | 'limits' | 'terms'
  > &
    Pick<Challenge, 'instructionText' | 'countHidden' | 'rules' | 'publishedBy' | 'requires'>
>;

/** Whether something changes that stays after `CampaignStore.fixPoints`. */
export function changesWhatIsFixed({ campaign, challenge }: CampaignWithChallenge, changes: CampaignChanges): boolean {
  const { pointsReward = campaign.pointsReward, limits = campaign.limits } = changes;
  const { countHidden = false, rules, requires } = challenge;
  const stored = { terms: campaign.terms, countHidden, rules, requires };
  const isOther = (name: keyof typeof stored) =>
    changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(stored[name] ?? null);
  return (
    pointsReward !== campaign.pointsReward ||
    // Rewards are counted from the first one on, or not at all.
    (limits == null) !== (campaign.limits == null) ||
    isOther('terms') ||
    isOther('countHidden') ||
    isOther('rules') ||
    isOther('requires')
  );
}

/** By id, or by the bytes of the title and then by id; with a minus sign descending. */
export const CAMPAIGN_SORTS = ['-id', 'id', 'title', '-title'] as const;

/** Which campaigns a list is about, all of them by default, and their order. */
export interface CampaignFilter {
  readonly brandId?: number | undefined;
  /** Those in which this creator has an attempt. */
  readonly attemptOf?: number | undefined;
  /** How campaigns stand at a time, see `CAMPAIGN_STATES`. */
  readonly state?: { readonly name: CampaignState; readonly now: Date } | undefined;
  /** In the title, in any letter case: see `patternOf`. */
  readonly text?: string | undefined;
  /** The earliest time of creation. */
  readonly createdFrom?: Date | undefined;
  /** Campaigns that were created at this time or later are left out. */
  readonly createdBefore?: Date | undefined;
  /** `-id` by default: newest first. */
  readonly sort?: (typeof CAMPAIGN_SORTS)[number] | undefined;
}

/**
 * - `upcoming`: active, and its start is to come.
 * - `running`: active, within its dates.
 * - `ended`: not active, or past its end.
 */
export const CAMPAIGN_STATES = ['upcoming', 'running', 'ended'] as const;
/** How a campaign stands at a time. */
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

/** Campaigns, each with its challenge. */
export interface CampaignStore {
  /** Stores campaign and challenge in one atomic write. */
  create(campaign: NewCampaign, challenge: NewChallenge): Promise<CampaignWithChallenge>;
  /** By id, or by the id of its challenge. Null if there is no such campaign. */
  find(which: number | { readonly challengeId: number }): Promise<CampaignWithChallenge | null>;
  /** The campaigns about a post, newest first, at most 100. */
  ofPost(post: Pick<Challenge, 'platform' | 'contentId'>): Promise<readonly CampaignWithChallenge[]>;
  /** `total` counts what the filter leaves. */
  list(page: PageRequest, filter?: CampaignFilter): Promise<Page<Campaign>>;
  /**
   * Sets what is given, in one atomic write, if the points, the dates and `isActive` that are stored still are those of `before`; null
   * if not, or if the campaign is gone. `points-fixed`, and nothing changes, after `fixPoints`, if `changesWhatIsFixed`.
   */
  update(before: Campaign, changes: CampaignChanges): Promise<CampaignWithChallenge | 'points-fixed' | null>;
  /**
   * Keeps the points of the challenge's campaign, and all else that `changesWhatIsFixed` names, as they are from now on. Who issues a
   * reward calls it before reading the points: of a reward and a change of the points, one comes after the other.
   */
  fixPoints(challengeId: number): Promise<void>;
  /**
   * Removes campaign, draw, challenge, comments, sweep progress, metrics and likers, unless the challenge has an attempt.
   * Against a concurrent `AttemptStore.create` on the same challenge exactly one of the two wins. Once the campaign is gone,
   * what a failure leaves of the rest is removed by the next `Storage.open`, or as `leftovers`; a seed may stay.
   */
  delete(id: number): Promise<'deleted' | 'has-attempts' | 'not-found'>;
}

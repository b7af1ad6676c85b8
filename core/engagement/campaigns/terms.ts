/** What a brand may ask for beyond the challenge itself. Without any of it, a campaign pays every verified attempt at once. */

/** What a campaign pays at most. Each number is counted for all rewards since the limits were given. */
export interface RewardLimits {
  readonly maxRewards?: number | undefined;
  readonly pointsBudget?: number | undefined;
  /** Over all campaigns of the brand that have limits, in a day of UTC. */
  readonly pointsPerCreatorAndDay?: number | undefined;
}

/** Only so many of the verified attempts are rewarded, drawn by lot. */
export interface DrawTerms {
  /** Which public value will be mixed in, in words. */
  readonly beacon: string;
  /** SHA-256 of the seed, in hex. */
  readonly commitment: string;
}

/** When and under which conditions a verified attempt is rewarded. */
export interface RewardTerms {
  /** The comment or like must still be there after so many days. */
  readonly holdDays?: number | undefined;
  /** So many days after the reward it is looked for once more. */
  readonly recheckDays?: number | undefined;
  /** The points are taken back if the comment or like goes after the reward. */
  readonly reverseOnRemoval?: boolean | undefined;
  /** Which rewards wait for the approval of a person. */
  readonly review?: 'all' | 'signals' | undefined;
  readonly draw?: DrawTerms | undefined;
}

/** What a comment must be, besides being there. */
export interface CommentRules {
  readonly words?:
    | {
        readonly any?: readonly string[] | undefined;
        readonly all?: readonly string[] | undefined;
        readonly none?: readonly string[] | undefined;
      }
    | undefined;
  readonly hashtags?: readonly string[] | undefined;
  /** So many different people, not the brand and not oneself. */
  readonly mentions?: number | undefined;
  readonly minWords?: number | undefined;
  readonly notOnlyEmoji?: boolean | undefined;
  readonly topLevelOnly?: boolean | undefined;
  readonly notByOwner?: boolean | undefined;
  readonly since?: 'campaign-start' | undefined;
  /** Not the same words as an earlier comment of somebody else. */
  readonly ownText?: boolean | undefined;
}

/** What the account of a creator must be. */
export interface AccountRequirements {
  readonly minFollowers?: number | undefined;
  readonly minPosts?: number | undefined;
  readonly minAccountAgeDays?: number | undefined;
  readonly public?: true | undefined;
  readonly provenOnly?: true | undefined;
  /** One account, and one comment, is rewarded once, however many creators have linked it. */
  readonly oneRewardPerAccount?: true | undefined;
  /** What a fact counts as that cannot be known. */
  readonly unknown?: 'wait' | 'pass' | 'fail' | undefined;
}

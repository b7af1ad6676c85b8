/** Campaigns and their one challenge (docs/specification/engagement.md#campaign). */
import type { ChallengeAction } from '../../platforms/descriptor.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { ContentType } from '../../platforms/post-url.ts';
import type { AccountRequirements, CommentRules, RewardLimits, RewardTerms } from './terms.ts';

/** A period with a number of points. */
export interface Campaign {
  readonly id: number;
  readonly brandId: number;
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly pointsReward: number;
  readonly isActive: boolean;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  /** Absent, or null: it pays without end. */
  readonly limits?: RewardLimits | null;
  /** Absent, or null: it pays at once. */
  readonly terms?: RewardTerms | null;
}

/** An account that published a post, alone or with others. */
export interface Publisher {
  /** Normalised. */
  readonly handle: string;
  readonly accountId: string;
}

/** What a creator must do, and with which post. */
export interface Challenge {
  readonly id: number;
  readonly campaignId: number;
  readonly platform: PlatformName;
  readonly contentType: ContentType;
  /** The platform's own id of the post. */
  readonly contentId: string;
  readonly canonicalUrl: string;
  readonly instructionText: string;
  readonly action: ChallengeAction;
  /** Comments that the owner of the post hides count as well. Absent or false: they decide nothing. */
  readonly countHidden?: boolean;
  /** Absent, or null: any comment counts. */
  readonly rules?: CommentRules | null;
  /** Absent until the rules ask for it and the post was read. */
  readonly publishedBy?: readonly Publisher[];
  /** Absent, or null: any account counts. */
  readonly requires?: AccountRequirements | null;
}

/** Whose share of a platform's rate is used when a post is read for a brand and nobody in particular asks. */
export function brandAsCaller({ brandId }: Pick<Campaign, 'brandId'>): string {
  return `brand:${brandId}`;
}

/** A campaign never exists without its challenge: they are stored and read together. */
export interface CampaignWithChallenge {
  readonly campaign: Campaign;
  readonly challenge: Challenge;
}

/** Creators and their linked handles (docs/specification/engagement.md#creator). */
import type { PlatformName } from '../../platforms/platform-name.ts';

/** A person who takes part. */
export interface Creator {
  readonly id: number;
  /** The customer's own identifier; unique. */
  readonly externalId: string;
  /** Given, or the placeholder of `placeholderEmail`. */
  readonly email: string;
  readonly displayName: string | null;
  readonly avatarUrl: string | null;
  readonly createdAt: Date;
}

/** Best-effort facts of a profile; any key may be absent. */
export interface ProfileData {
  readonly followers?: number;
  readonly following?: number;
  readonly profile_pic_url?: string;
  readonly full_name?: string;
  readonly biography?: string;
  readonly is_verified?: boolean;
}

/** A handle that is linked to a creator. */
export interface SocialAccount {
  readonly id: number;
  readonly creatorId: number;
  readonly platform: PlatformName;
  /** The handle, normalised: no `@`, trimmed, lower case. */
  readonly platformUsername: string;
  readonly profileData: ProfileData;
  /** True when the owner has shown control of the profile (bio code or web proof); false when only asserted. */
  readonly ownershipProven: boolean;
  /**
   * The platform's own id of the account, which stays when the handle changes. Null when ownership is only asserted, or was
   * proven before ids were recorded.
   */
  readonly platformAccountId: string | null;
  readonly connectedAt: Date;
  readonly disconnectedAt: Date | null;
}

/** What a creator has earned so far, over all campaigns. */
export interface CreatorTotals {
  readonly totalAttempts: number;
  /** Counts every attempt that was ever verified. */
  readonly totalVerified: number;
  readonly totalRewarded: number;
  readonly totalPoints: number;
}

/** One row per active handle of a creator. */
export interface CreatorListRow extends CreatorTotals {
  readonly creator: Creator;
  readonly account: SocialAccount;
}

/** A creator with the handle that matters in some context, for example for one challenge's platform. */
export interface LinkedCreator {
  readonly creator: Creator;
  readonly account: SocialAccount;
}

/** Creators and their linked handles (docs/specification/engagement.md#creator). */
import { type AuthorKey, numberKey, scopedKey } from '../../platforms/author-key.ts';
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
  /** This and the next ones are for `AccountRequirements`. */
  readonly posts?: number;
  readonly is_private?: boolean;
  /** When the account was made: ISO 8601, UTC. */
  readonly created_at?: string;
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
  /**
   * The id of the account that a link without `platformAccountId` was first matched by or shown with; null before, and for other links. Nothing
   * is proven by it. A link that is made again after a disconnection has forgotten it.
   */
  readonly rememberedAccountId: string | null;
  /**
   * The id by which the app of a brand's connection knows the account, from the first comment that matched (`PlatformComment.scopedAuthorId`).
   * Absent before. A link that is made again after a disconnection has forgotten it.
   */
  readonly scopedAccountId?: string;
  readonly connectedAt: Date;
  readonly disconnectedAt: Date | null;
}

type AccountIds = Pick<SocialAccount, 'platformAccountId' | 'rememberedAccountId'>;

/** The platform's id of the link's account, if it is known: then it decides who is meant, and not the handle. */
export function knownAccountId({ platformAccountId, rememberedAccountId }: AccountIds): string | null {
  return platformAccountId ?? rememberedAccountId;
}

/** Whether nothing but the handle tells whose account the link means. */
export function isByHandle(link: SocialAccount): boolean {
  return knownAccountId(link) === null && link.scopedAccountId === undefined;
}

/** What changes of a link that is proven for an account. */
export const provenFor = (accountId: string) => ({
  ownershipProven: true,
  platformAccountId: accountId,
  rememberedAccountId: null,
});

/** What changes of a link that gives the proof for an account up: it remembers the account. */
export const unprovenFor = (accountId: string) => ({
  ownershipProven: false,
  platformAccountId: null,
  rememberedAccountId: accountId,
});

/** The links that are not disconnected, the most recently connected first. */
export function activeAccounts(accounts: readonly SocialAccount[]): readonly SocialAccount[] {
  return accounts
    .filter(({ disconnectedAt }) => disconnectedAt === null)
    .sort((a, b) => b.connectedAt.getTime() - a.connectedAt.getTime() || b.id - a.id);
}

/** By what the link's account is looked for. */
export function authorKeyOf(account: AccountIds & Pick<SocialAccount, 'platformUsername'>): AuthorKey {
  const accountId = knownAccountId(account);
  return accountId === null ? account.platformUsername : numberKey(accountId);
}

/** By what the link's account is looked for in comments: by what an app knows it by, too. */
export function authorKeysOf(account: SocialAccount): readonly AuthorKey[] {
  const { scopedAccountId } = account;
  return [authorKeyOf(account), ...(scopedAccountId === undefined ? [] : [scopedKey(scopedAccountId)])];
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

/** Links as documents: how they become accounts, and by which account of the platform they are known. */
import type { ProfileData, SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { AccountDocument } from './documents.ts';
import { fromJson, text } from './values.ts';

export function toAccount(document: AccountDocument): SocialAccount {
  return {
    id: document._id,
    creatorId: document.creatorId,
    platform: document.platform,
    platformUsername: document.handle,
    profileData: fromJson<ProfileData>(document.profileData),
    ownershipProven: document.ownershipProven,
    platformAccountId: ownedIn(document),
    rememberedAccountId: document.rememberedAccount ?? null,
    connectedAt: document.connectedAt,
    disconnectedAt: document.disconnectedAt,
  };
}

/** The value of `ownedAccount` for an account that is proven. */
export function ownedBy(platform: PlatformName, accountId: string): string {
  return `${text(platform)}:${text(accountId)}`;
}

type Known = Pick<AccountDocument, 'platform' | 'ownedAccount' | 'rememberedAccount'>;

function ownedIn({ platform, ownedAccount }: Known): string | null {
  return ownedAccount?.slice(platform.length + 1) ?? null;
}

/** The id of the account if it is known: proven, or remembered. */
export function knownIn(document: Known): string | null {
  return ownedIn(document) ?? document.rememberedAccount ?? null;
}

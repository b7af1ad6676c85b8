/** Columns of creators and accounts, and how rows become domain objects. */
import type { Creator, LinkedCreator, ProfileData, SocialAccount } from '../../core/engagement/creators/creator.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import { fromJson, toDate, toDateOrNull } from './values.ts';

export interface CreatorRow {
  readonly id: number;
  readonly externalId: string;
  readonly email: string;
  readonly displayName: string | null;
  readonly avatarUrl: string | null;
  readonly createdAt: number;
}

export const CREATOR_COLUMNS =
  'id, external_id AS externalId, email, display_name AS displayName, avatar_url AS avatarUrl, created_at AS createdAt';

export function toCreator(row: CreatorRow): Creator {
  return {
    id: row.id,
    externalId: row.externalId,
    email: row.email,
    displayName: row.displayName,
    avatarUrl: row.avatarUrl,
    createdAt: toDate(row.createdAt),
  };
}

export interface AccountRow {
  readonly id: number;
  readonly creatorId: number;
  readonly platform: PlatformName;
  readonly handle: string;
  readonly profileData: string;
  readonly ownershipProven: number;
  readonly platformAccountId: string | null;
  readonly rememberedAccountId: string | null;
  readonly connectedAt: number;
  readonly disconnectedAt: number | null;
}

export const ACCOUNT_COLUMNS = `id, creator_id AS creatorId, platform, handle, profile_data AS profileData,
  ownership_proven AS ownershipProven, platform_account_id AS platformAccountId,
  remembered_account_id AS rememberedAccountId, connected_at AS connectedAt,
  disconnected_at AS disconnectedAt`;

export function toAccount(row: AccountRow): SocialAccount {
  return {
    id: row.id,
    creatorId: row.creatorId,
    platform: row.platform,
    platformUsername: row.handle,
    profileData: fromJson<ProfileData>(row.profileData),
    ownershipProven: row.ownershipProven === 1,
    platformAccountId: row.platformAccountId,
    rememberedAccountId: row.rememberedAccountId,
    connectedAt: toDate(row.connectedAt),
    disconnectedAt: toDateOrNull(row.disconnectedAt),
  };
}

/** A join of accounts `a` and creators `c`. */
export interface LinkedRow extends Omit<CreatorRow, 'id'>, Omit<AccountRow, 'id'> {
  readonly accountId: number;
}

export const LINKED_COLUMNS = `c.id AS creatorId, c.external_id AS externalId, c.email, c.display_name AS displayName,
  c.avatar_url AS avatarUrl, c.created_at AS createdAt, a.id AS accountId, a.platform, a.handle,
  a.profile_data AS profileData, a.ownership_proven AS ownershipProven,
  a.platform_account_id AS platformAccountId, a.remembered_account_id AS rememberedAccountId, a.connected_at AS connectedAt, a.disconnected_at AS disconnectedAt`;

export function toLinked(row: LinkedRow): LinkedCreator {
  return { creator: toCreator({ ...row, id: row.creatorId }), account: toAccount({ ...row, id: row.accountId }) };
}

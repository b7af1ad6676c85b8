import type {
  Creator,
  CreatorListRow,
  LinkedCreator,
  ProfileData,
  SocialAccount,
} from '../engagement/creators/creator.ts';
import type { PlatformName } from '../platforms/platform-name.ts';

/** A handle to link, and whose it is. */
export interface LinkInput {
  readonly externalId: string;
  /** Used only when the creator is new. */
  readonly email: string;
  readonly displayName: string | null;
  readonly platform: PlatformName;
  /** Normalised handle. */
  readonly handle: string;
  readonly profileData: ProfileData;
  readonly ownershipProven: boolean;
  /** The stable account id that the proof showed; counts only together with `ownershipProven`. */
  readonly platformAccountId?: string;
  readonly now: Date;
}

/** The creator, the link, and what was done. */
export interface LinkResult extends LinkedCreator {
  /** `created`: a new link; `existing`: the active triple was there, unchanged; `reconnected`: it was disconnected. */
  readonly outcome: 'created' | 'existing' | 'reconnected';
}

/** Creators and their linked handles. */
export interface CreatorStore {
  /**
   * Registers the creator when `externalId` is new and links the handle; unique by externalId + platform + handle.
   * Of any number of concurrent calls with one triple exactly one gets `created` (or `reconnected`), the others `existing`,
   * and all see the same ids. A stored creator and a stored active link are returned unchanged, except that
   * `ownershipProven: true` and the account id are remembered. A call that fails may leave the creator without the link, or
   * the link without its proof; repeating it makes good.
   *
   * One account is proven for one link at most, over all creators: the latest proof wins, in races too. The link that had
   * the account id before loses its proof, and ends if it is of another handle (the account was renamed). A link of the same
   * handle that is proven for another account id loses its proof and ends (the handle was given to another account). Links
   * that are only asserted stay as they are.
   */
  link(input: LinkInput): Promise<LinkResult>;
  /** Sets `disconnectedAt` on the active link; exactly one concurrent caller gets it, the others null. */
  disconnect(
    link: { externalId: string; platform: PlatformName; handle: string },
    now: Date,
  ): Promise<SocialAccount | null>;
  /** Null if there is no such creator. */
  findById(id: number): Promise<Creator | null>;
  /** Null if there is no such creator. Compared character by character. */
  findByExternalId(externalId: string): Promise<Creator | null>;
  /** All links of a creator, disconnected ones too, by id. */
  accountsOf(creatorId: number): Promise<readonly SocialAccount[]>;
  /** The creator's active link on a platform; the most recently connected when there are several. */
  activeAccount(creatorId: number, platform: PlatformName): Promise<SocialAccount | null>;
  /** Every creator to whom this handle is actively linked (the same handle may belong to several); by creator id. */
  findByHandle(platform: PlatformName | null, handle: string): Promise<readonly LinkedCreator[]>;
  /** As `findByHandle`, with the links that were disconnected. */
  everLinked(platform: PlatformName, handle: string): Promise<readonly LinkedCreator[]>;
  /**
   * One row per active link, by creator id then account id, with the creator's totals. Rows come in pieces of some hundred;
   * each piece is read when the caller asks for it. Links made or ended meanwhile may be missing or included.
   */
  listRows(): AsyncIterable<readonly CreatorListRow[]>;
  /**
   * Replaces `profileData` wholesale. Returns false when the account is gone. A call that fails may leave the picture of
   * before; repeating it makes good.
   */
  replaceProfile(accountId: number, profileData: ProfileData, avatarUrl: string | null): Promise<boolean>;
}

import type {
  Creator,
  CreatorListRow,
  LinkedCreator,
  ProfileData,
  SocialAccount,
} from '../engagement/creators/creator.ts';
import type { EventEntry } from '../engagement/webhooks/outbox.ts';
import type { AuthorKey } from '../platforms/author-key.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import type { Page, PageRequest } from './paging.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

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
  /** The connection request that leads to the link: it must be stored still, and goes when its creator is erased. */
  readonly requestId?: string;
  /** Makes the event that is stored in the very write that makes the link a proven one; only together with `ownershipProven`. */
  readonly announce?: (linked: LinkedCreator) => EventEntry;
  readonly now: Date;
}

/** A link, and the account that it was matched by. */
export interface AccountSeen {
  readonly linkId: number;
  readonly accountId: string;
}

/** A proven link, and the handle that its account was shown under. */
export interface RenamedAccount {
  readonly link: Pick<SocialAccount, 'id' | 'creatorId' | 'platform'>;
  readonly accountId: string;
  /** Normalised. */
  readonly handle: string;
  /** When it was shown. */
  readonly seenAt: Date;
  readonly now: Date;
}

/** The creator, the link, and what was done. */
export interface LinkResult extends LinkedCreator {
  /** `created`: a new link; `existing`: the active triple was there, unchanged; `reconnected`: it was disconnected. */
  readonly outcome: 'created' | 'existing' | 'reconnected';
}

/** Which creators a text finds: at most `limit`, the oldest of each way first. */
export interface CreatorSearch {
  /** Not blank. */
  readonly text: string;
  /** Only handles on this platform; on any by default. */
  readonly platform?: PlatformName;
  /** Emails too. */
  readonly email?: boolean;
  readonly limit: number;
}

/** Creators and their linked handles. */
export interface CreatorStore extends PersonalDataStore {
  /**
   * Registers the creator when `externalId` is new and links the handle; unique by externalId + platform + handle.
   * Of any number of concurrent calls with one triple exactly one gets `created` (or `reconnected`), the others `existing`,
   * and all see the same ids. A stored creator and a stored active link are returned unchanged, except that
   * `ownershipProven: true` and the account id are remembered. A call that fails may leave the creator without the link, or
   * the link without its proof; repeating it makes good. The proof and its event are one write: both are there, or neither.
   * An event that waits under the same entry id already is not stored twice.
   *
   * One account is proven for one link at most, over all creators: the latest proof wins, in races too. The link that had
   * the account id before loses its proof and remembers the id. It ends if it is of another handle (the account was renamed).
   * All other links stay as they are, also those of the same handle that are proven for another account: the account decides.
   * @throws DomainError `NOT_FOUND` if `requestId` is not stored any more; nothing changes then
   */
  link(input: LinkInput): Promise<LinkResult>;
  /**
   * Notes by which account an active link without a known account id was first matched or shown. Of concurrent callers for one link exactly
   * one is noted. Returns the id that each link has then, under the link's id: proven, noted by this call, or noted before. A
   * link that is gone or ended is left out. At most 1,000 links a call. With `scoped` the same for the id by which an app knows the
   * account: proven or not, one of the same app is noted once, and one of another app is replaced.
   */
  rememberAccounts(seen: readonly AccountSeen[], which?: 'scoped'): Promise<ReadonlyMap<number, string>>;
  /**
   * The account of an active, proven link was shown under another handle. The proof moves to the creator's link of that
   * handle, which is made, or made again, as of `seenAt`. The former link ends `now`, and remembers the account id. Links of other
   * creators stay as they are, whatever their handle. Null, and nothing changes, if the link is not active, not proven for this
   * account, or made later than `seenAt`. Null also if the creator's link of the new handle is known to be another account's.
   */
  followHandle(renamed: RenamedAccount): Promise<SocialAccount | null>;
  /** Sets `disconnectedAt` on the active link, and forgets what account was remembered; exactly one concurrent caller gets it, the others null. */
  disconnect(
    link: { externalId: string; platform: PlatformName; handle: string },
    now: Date,
  ): Promise<SocialAccount | null>;
  /** By id, or by `externalId`, which is compared character by character. Null if there is no such creator. */
  find(which: number | Pick<Creator, 'externalId'>): Promise<Creator | null>;
  /**
   * Creators whose external id, display name, handle (ended links too) or email begins with the text, by id. Upper and lower case
   * count as `rangesOf` says.
   */
  search(search: CreatorSearch): Promise<readonly Creator[]>;
  /** All links of a creator, disconnected ones too, by id. */
  accountsOf(creatorId: number): Promise<readonly SocialAccount[]>;
  /**
   * Every creator to whom this handle is actively linked (the same handle may belong to several), on one platform or on any; by
   * creator id. With `ended`, also the links that were disconnected.
   */
  findByHandle(
    platform: PlatformName | null,
    handle: string,
    which?: { readonly ended?: boolean },
  ): Promise<readonly LinkedCreator[]>;
  /**
   * The active links on a platform that have one of these handles, or of these scoped ids; by creator id. At most 1,000 keys, none of a
   * number. With `ended`, also the links that were disconnected.
   */
  linksOf(
    platform: PlatformName,
    authors: readonly AuthorKey[],
    which?: { readonly ended?: boolean },
  ): Promise<readonly LinkedCreator[]>;
  /**
   * The active links on a platform of the next creators after `afterCreator`, at most `limit` creators, by creator id then account
   * id. All links of a creator come in one call. An empty list means the end.
   */
  activeLinks(platform: PlatformName, afterCreator: number, limit: number): Promise<readonly LinkedCreator[]>;
  /**
   * A page of rows, one for each active link, by creator id then account id, with the creator's totals. The position of a row is the
   * id of its account.
   */
  listPage(page: PageRequest): Promise<Page<CreatorListRow>>;
  /**
   * Replaces `profileData` wholesale. Returns false when the link is gone or has ended. A call that fails may leave the picture of
   * before; repeating it makes good.
   */
  replaceProfile(accountId: number, profileData: ProfileData, avatarUrl: string | null): Promise<boolean>;
}

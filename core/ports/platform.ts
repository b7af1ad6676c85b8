/**
 * Reads public posts and profiles of one platform.
 *
 * Failures are `DomainError`s with these codes:
 * - Permanent: `POST_NOT_FOUND`, `PROFILE_NOT_FOUND`, `POST_PRIVATE`, `PROFILE_PRIVATE`, `POST_AGE_RESTRICTED`,
 *   `POST_UNAVAILABLE`. Asking again gives the same. A logged-in reader may be shown a post whose `details.reason` is
 *   `gated`, and a reader in another place one whose reason is `region`.
 * - Transient: `SCRAPING_RATE_LIMITED` (with `retryAfterSeconds` when known), `PLATFORM_UNAVAILABLE` (its `details.reason`
 *   says why: login wall, blocked, unreadable body, no session), `PLATFORM_TIMEOUT`.
 * - `NOT_SUPPORTED`: the platform has no such thing.
 *
 * A number that the platform does not expose is null. Partial data is never passed off as whole. Totals are passed on as
 * the platform states them, so that the core can tell a list that ended early from a whole one.
 */
import type { PlatformName } from '../platforms/platform-name.ts';
import type { PostRef } from '../platforms/post-url.ts';

/** Limits of one call, and for whom it is made. */
export interface PlatformCallOptions {
  /** Aborts the request; the adapter then throws `PLATFORM_TIMEOUT`. */
  readonly signal?: AbortSignal;
  /** Wall-clock limit for everything, waiting for the pace included; the adapter's own limit by default. */
  readonly deadline?: Date;
  /**
   * For whom the platform is read: a token, a creator, a challenge. Callers take turns at the platform's rate.
   */
  readonly caller?: string;
  /** The brand whose campaign it is for: the posts of its connected accounts may be read by the platform's own API. */
  readonly brandId?: number;
}

/** A public post and its numbers. */
export interface PostDetails {
  readonly platform: PlatformName;
  readonly contentType: 'post';
  readonly contentId: string;
  readonly postUrl: string;
  readonly owner: {
    readonly handle: string;
    /** Stable across handle changes; use this, never the handle, to check ownership. */
    readonly accountId: string;
    /** A second id of the account, on platforms that have one; null elsewhere. */
    readonly secUid: string | null;
    readonly displayName: string | null;
  };
  /** Others who published it together with the owner, as far as the platform tells. */
  readonly coauthors?: readonly { readonly handle: string; readonly accountId: string }[];
  readonly post: {
    readonly caption: string | null;
    /** If the platform does not say: when the post's id was made, if the id tells. */
    readonly postedAt: Date | null;
    readonly thumbnailUrl: string | null;
    readonly mediaUrls: readonly string[];
  };
  /** As the platform shows them: exact, or rounded for people if nothing exact is shown; null if not shown. */
  readonly stats: {
    readonly views: number | null;
    readonly likes: number | null;
    readonly comments: number | null;
    readonly shares: number | null;
    readonly saves: number | null;
  };
  /** Which way the post was read, for example `toy-page`. */
  readonly source: string;
}

/** A comment or reply. */
export interface PlatformComment {
  readonly id: string;
  /** The comment this one answers; null at the top level. */
  readonly parentId: string | null;
  /** The author's handle; empty if the platform names nothing but the account's number. */
  readonly username: string;
  /**
   * The platform's number of the author's account, the same as `PlatformProfile.accountId`: it stays when the handle changes.
   * Null or absent if the answer does not tell it.
   */
  readonly authorId?: string | null;
  /**
   * The account as one app knows it, with the name of the app before it: `app-123/17841400000000000`. It stays when the handle
   * changes, and is no `authorId`. Null or absent outside the official APIs.
   */
  readonly scopedAuthorId?: string | null;
  /** The owner of the post keeps it from others. Only official APIs list such comments. */
  readonly isHidden?: boolean;
  readonly text: string;
  readonly createdAt: Date;
  readonly likeCount: number | null;
  readonly replyCount: number | null;
}

/** One page of comments or replies. */
export interface CommentPage {
  /** Top-level comments, and the replies that came inline with them. */
  readonly comments: readonly PlatformComment[];
  /** Passed verbatim to the next call; null when the platform says there is no more. */
  readonly nextCursor: string | null;
  /**
   * How many comments the platform says exist, replies included: of the post for `getComments`, of the thread for
   * `getReplies`. Null or absent if the answer does not say, or if the number is hidden. An adapter passes the number on as it
   * stands, also if it contradicts the page. A list that ends early is only noticed by its total.
   */
  readonly expectedTotal?: number | null;
  /**
   * True if `expectedTotal` was read from the post itself and not from the list; false by default. A list that ends early may give a
   * total that fits, so the post is asked before such a total is believed.
   */
  readonly isPostTotal?: boolean;
  /**
   * Comments and replies on this page that a handle cannot be compared with; 0 by default. Those that cannot be read are not in
   * `comments`; those with an `authorId` and without a handle are. A comment that names no account at all is nobody's and is
   * not counted; the replies to it are.
   */
  readonly skipped?: number;
  /** The list ends with its last page and leaves nothing out, by contract: who is not in it has not commented. */
  readonly isWhole?: boolean;
  /** Which way the page was read, for example `toy-api`; behind several `ways` with the way's name: `own/toy-api`. */
  readonly source?: string;
}

/** An account that liked a post. */
export interface PlatformLiker {
  readonly accountId: string;
  /** Empty if the platform names nothing but the account's number. */
  readonly username: string;
  readonly fullName: string | null;
  readonly isPrivate: boolean;
  readonly isVerified: boolean;
  readonly profilePicUrl: string | null;
}

/** The likers that a platform shows. */
export interface LikersResult {
  readonly likers: readonly PlatformLiker[];
  /** How many likes the platform says the post has; null if it hides the number or does not say. */
  readonly totalLikes: number | null;
  /** Likers in the answer that cannot be read; 0 by default. They are not in `likers`. */
  readonly skipped?: number;
}

/** A public profile. What the platform does not show is null. */
export interface PlatformProfile {
  readonly platform: PlatformName;
  readonly handle: string;
  readonly accountId: string;
  readonly secUid: string | null;
  readonly displayName: string | null;
  readonly bio: string | null;
  readonly profilePictureUrl: string | null;
  readonly isVerified: boolean | null;
  readonly isPrivate: boolean | null;
  readonly followerCount: number | null;
  readonly followingCount: number | null;
  readonly mediaCount: number | null;
  /** When the account was made. Null or absent if the platform does not tell. */
  readonly createdAt?: Date | null;
}

/** `resting`: throttled for a while. `quarantined`: the platform wants a checkpoint solved. `dead`: logged out. */
export interface SessionStatus {
  /** Which of the configured sessions, for example `session-2`; never the session id. */
  readonly label: string;
  readonly state: 'active' | 'resting' | 'quarantined' | 'dead';
  /** Endpoints that send it away, for example `likers`; left out if none does. The others may answer it all the same. */
  readonly sentAwayFrom?: readonly string[];
}

/** One of several independent ways to read a platform. Closing it is its owner's business. */
export interface PlatformWay {
  readonly name: string;
  readonly platform: Platform;
}

/** The account with a paid provider, as its last answers told this process. */
export interface CreditFigures {
  /** Null if the provider does not say. */
  readonly left: number | null;
  /** What all processes may spend and have spent since midnight UTC; null without a limit. */
  readonly daily: { readonly limit: number; readonly spent: number } | null;
}

/** The reader of one platform. Every call throws the codes above. */
export interface Platform {
  readonly name: PlatformName;
  readonly supports: { readonly likers: boolean; readonly replies: boolean };
  /** Whether a call can be answered here at all, for readers that read for some brands only; every call by default. */
  serves?(call: PlatformCallOptions | undefined): Promise<boolean>;
  /** Follows a short or share link to the full post URL, one platform host at a time. @throws `POST_NOT_FOUND` */
  resolveShortLink(url: string, options?: PlatformCallOptions): Promise<string>;
  /** Reads a post and its numbers. */
  getPost(post: PostRef, options?: PlatformCallOptions): Promise<PostDetails>;
  /** Reads one page of comments; a null `cursor` asks for the first one. */
  getComments(post: PostRef, cursor: string | null, options?: PlatformCallOptions): Promise<CommentPage>;
  /** Reads one page of the replies to a comment; a null `cursor` asks for the first one. @throws `NOT_SUPPORTED` */
  getReplies(
    post: PostRef,
    commentId: string,
    cursor: string | null,
    options?: PlatformCallOptions,
  ): Promise<CommentPage>;
  /** At most `maxCount` of those whom the platform shows; fewer only when it shows no more. */
  getLikers(post: PostRef, maxCount: number, options?: PlatformCallOptions): Promise<LikersResult>;
  /** `handle` is normalised. Null when the platform answered with a readable but empty profile. */
  getProfile(handle: string, options?: PlatformCallOptions): Promise<PlatformProfile | null>;
  /** The ways that this platform chooses from, if it is made of several: two that agree are two witnesses. */
  readonly ways?: readonly PlatformWay[];
  /** The logged-in sessions that the platform is read with, for health reports; left out by readers that have none. */
  sessionStates?(): readonly SessionStatus[];
  /** The credits of a reader that pays for its answers, for metrics. */
  credits?(): CreditFigures | null;
  /** Ends what is under way and lets go of connections. No call after it. */
  close(): Promise<void>;
}

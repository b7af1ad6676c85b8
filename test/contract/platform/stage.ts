/** What a `Platform` is tried on: a fake of its platform, which the reader under test is pointed at. */
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { Platform, PlatformComment, PlatformProfile, PostDetails } from '../../../core/ports/platform.ts';

/** What a fake can be told to do with every request from then on. */
export const STAGED_FAILURES = [
  /** The platform's own word for a post that does not exist. */
  'not-found',
  /** Its own word for a post that only followers see. */
  'private',
  /** Its own word for a post that is kept from minors. */
  'age-restricted',
  /** The connection is cut. */
  'reset',
  /** 500, then 503. */
  'server-error',
  'unavailable',
  /** 200 with no bytes, with HTML in place of data, with half of the data, with other fields than usual, without an end. */
  'empty-body',
  'html-instead-of-json',
  'truncated',
  'drifted',
  'endless-body',
  /** A redirect to a login page. */
  'login-redirect',
  /** The request is read and never answered. */
  'hang',
  /** 429, with `Retry-After` if `retryAfterSeconds` is given. */
  'rate-limited',
  /** A list of comments that hands out one cursor again, one page again, or an empty page, and says that there is more. */
  'repeated-cursor',
  'repeated-page',
  'empty-page-with-more',
  /** A list of comments that ends before its end: after a page, or at once. */
  'ends-early',
  'empty-list',
  /** A page whose first comment has lost its author. */
  'nameless-comment',
] as const;
/** One of `STAGED_FAILURES`. */
export type StagedFailure = (typeof STAGED_FAILURES)[number];

/** A post to be staged; what is left out is for the stage to choose. */
export interface PostToStage {
  /** One of `kinds` of the options; the first by default. */
  readonly kind?: string;
  /** The owner's handle, `maker.one` by default. */
  readonly owner?: string;
  readonly caption?: string | null;
  readonly likes?: number;
  readonly mediaUrls?: readonly string[];
  /** How many top-level comments, each with a text and an author of its own; 0 by default. */
  readonly comments?: number;
  /** Every n-th comment, the first among them, has `count` replies. */
  readonly replies?: { readonly every: number; readonly count: number };
  /** A comment by a chosen author, at a place from 0. */
  readonly placed?: { readonly index: number; readonly handle: string; readonly text: string };
}

/** A comment as the reader should hand it on. */
export type ExpectedComment = Pick<PlatformComment, 'id' | 'username' | 'text' | 'createdAt' | 'likeCount'>;

/** A post of the fake, and what the reader should make of it. */
export interface StagedPost {
  readonly ref: PostRef;
  /** What the reader should make of it; null where the platform does not tell. */
  readonly expected: Pick<PostDetails, 'owner' | 'post' | 'stats'>;
  /** The top-level comments in the platform's order. */
  readonly comments: readonly ExpectedComment[];
  /** The replies to one of them in the platform's order. */
  replies(commentId: string): readonly Pick<PlatformComment, 'id'>[];
  /** Comments and replies together. */
  readonly total: number;
}

/** A profile to be staged; what is left out is for the stage to choose. */
export interface ProfileToStage {
  readonly handle: string;
  readonly displayName?: string;
  readonly bio?: string;
  readonly isPrivate?: boolean;
  readonly isVerified?: boolean;
  readonly followers?: number;
}

/** A profile of the fake, and what the reader should make of it. */
export interface StagedProfile {
  /** What the reader should make of it; null where the platform does not tell. */
  readonly expected: PlatformProfile;
  /** Changes the bio that the fake shows from then on. */
  changeBio(bio: string): void | Promise<void>;
}

/** How a failure is staged. */
export interface FailureOptions {
  /** How many requests fail before things work again; all of them by default. */
  readonly times?: number;
  /** Sent as `Retry-After` with `rate-limited`. */
  readonly retryAfterSeconds?: number;
}

/** A fake of the platform, with the reader that is pointed at it. */
export interface PlatformStage {
  /** The reader under test, without pacing, pointed at the fake. */
  readonly reader: Platform;
  /** Adds a post to the fake. */
  addPost(post: PostToStage): StagedPost | Promise<StagedPost>;
  /** Adds a profile to the fake. */
  addProfile(profile: ProfileToStage): StagedProfile | Promise<StagedProfile>;
  /** A short link to the post, or to nothing; left out if the platform has none. Returns its URL. */
  addShortLink?(target: PostRef | null): string | Promise<string>;
  /** Makes requests fail from then on. */
  fail(failure: StagedFailure, options?: FailureOptions): void | Promise<void>;
  /** How many requests the fake has received. */
  requests(): number;
  /** Closes the reader and the fake. */
  close(): Promise<void>;
}

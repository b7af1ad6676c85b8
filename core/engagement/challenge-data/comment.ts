/** Stored comments, sweeps, metrics and likers of a challenge (docs/specification/engagement.md#stored-comment). */

/** A comment as it was read. */
export interface NewComment {
  readonly platformCommentId: string;
  /** As the platform shows it; empty if it shows nothing but the number. */
  readonly username: string;
  /** The platform's number of the author's account. Null or absent if the platform did not tell it. */
  readonly authorId?: string | null;
  /** See `PlatformComment`. */
  readonly scopedAuthorId?: string | null;
  /** Whether it answers another comment. Absent if nobody has told. */
  readonly isReply?: boolean;
  /** Whether the owner of the post keeps it from others, if the list says so: then it is noted of known comments too. */
  readonly isHidden?: boolean;
  readonly commentText: string;
  readonly commentedAt: Date;
}

/** A comment with an id of ours. */
export interface StoredComment extends Omit<NewComment, 'isHidden'> {
  readonly id: number;
  readonly challengeId: number;
  readonly createdAt: Date;
  /** Why nobody sees it any more; absent if it can be seen, as far as is known. Then it decides nothing. */
  readonly withheld?: Withheld;
  /** When that was last told: that it is withheld, or seen again. */
  readonly visibilityAt?: Date;
}

/** `removed`: deleted. `hidden`: by the owner of the post. */
export type Withheld = 'hidden' | 'removed';

/** What became of a comment. Of two changes the later one stands. */
export interface VisibilityChange {
  readonly platformCommentId: string;
  /** Null: it is seen again. */
  readonly withheld: Withheld | null;
  readonly at: Date;
}

/** How far a sweep came: to its end, some of the way, or nowhere. */
export type SweepStatus = 'swept' | 'partial' | 'failed';

/** How much of a post a sweep has seen, and how much there is. */
export interface SweepCoverage {
  readonly totalFetched: number;
  /** True only when every cursor was read to its end, never judged by totals. */
  readonly historyComplete: boolean;
  /**
   * The most comments, replies included, that the platform said exist while the sweep ran; null if it did not say. At least what
   * storage knows, if the sweep met fewer than half of that, or a whole list lacks more than a few.
   */
  readonly expectedTotal: number | null;
  /** Replies that are counted in `expectedTotal` and not read by design, because the platform's replies are not swept. */
  readonly unreadReplies: number;
  /** Comments that exist and that a handle cannot be compared with: those that could not be read, and the unnamed ones. */
  readonly skipped: number;
  /** Comments that were read without the number of their author's account. Not known of sweeps of earlier releases. */
  readonly unnumbered?: number | null;
  /** Comments that were read with the number of the account and without its handle. */
  readonly unnamed?: number;
  /** Another way of reading the platform showed the same comments, all of them and no others. */
  readonly confirmed: boolean;
  /** Every page was of a list that is whole by contract (`CommentPage.isWhole`). Absent: it was not. */
  readonly isWhole?: boolean | null;
}

/** What the last sweep that reached the end has seen. It stays while a later sweep runs. */
export type SweptReading = SweepCoverage & Pick<SweepProgress, 'lease' | 'leasedAt' | 'startedAt' | 'updatedAt'>;

/** Where a sweep over a challenge's comments stands, so that it resumes where it stopped. */
export interface SweepProgress extends SweepCoverage {
  readonly challengeId: number;
  /** The platform cursor of the next page to read; null at the start and when the history is complete. */
  readonly cursor: string | null;
  /** Comments whose replies are still to be read, with the cursor into them. */
  readonly pendingReplies: readonly { readonly commentId: string; readonly cursor: string | null }[];
  readonly pagesRead: number;
  /** `stopped`: the process that swept was closed; the next sweep continues there at once. */
  readonly status: 'running' | 'stopped' | SweepStatus;
  /** When the platform first refused what comes next; null if it was not refused. */
  readonly refusedSince: Date | null;
  /** Which sweep of the challenge this is. Each that begins gets the next number, and then an older one can save nothing. */
  readonly lease: number;
  /** When this sweep began. */
  readonly leasedAt: Date;
  /** What the last sweep before this one that reached the end has seen; null if there is none. */
  readonly lastSwept: SweptReading | null;
  /** When the first of the sweeps began that this one continues; `leasedAt` if it continues none. */
  readonly startedAt: Date;
  readonly updatedAt: Date;
}

/** The numbers of a post at one time. Null: the platform does not show it. */
export interface MetricsSnapshot {
  readonly challengeId: number;
  readonly likeCount: number | null;
  readonly commentCount: number | null;
  readonly shareCount: number | null;
  readonly viewCount: number | null;
  readonly thumbnailUrl: string | null;
  readonly fetchedAt: Date;
}

/** The statuses of a fetch of likers. */
export const LIKERS_STATUSES = ['queued', 'running', 'succeeded', 'failed'] as const;
/** One of `LIKERS_STATUSES`. */
export type LikersStatus = (typeof LIKERS_STATUSES)[number];

/** A fetch of likers, from its request to its end. */
export interface LikersFetch {
  readonly id: number;
  readonly challengeId: number;
  readonly status: LikersStatus;
  readonly maxCount: number;
  readonly fetchedCount: number;
  readonly totalLikes: number | null;
  readonly errorMessage: string | null;
  readonly warning: string | null;
  readonly requestedAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** A liker as it was read. */
export interface NewLiker {
  readonly igUserId: string;
  /** Empty if the platform shows nothing but the number. */
  readonly username: string;
  readonly fullName: string | null;
  readonly isPrivate: boolean;
  readonly isVerified: boolean;
  readonly profilePicUrl: string | null;
}

/** A liker with an id of ours. */
export interface StoredLiker extends NewLiker {
  readonly id: number;
  readonly fetchId: number;
}

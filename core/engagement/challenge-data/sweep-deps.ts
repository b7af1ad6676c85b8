/** What a walk over the comments of a post needs, and how it ends. */
import type { PostRef } from '../../platforms/post-url.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { CreatorStore } from '../../ports/creator-store.ts';
import type { CommentPage, Platform, PlatformCallOptions } from '../../ports/platform.ts';
import type { AbsenceTolerance } from '../attempts/absence.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import type { NewComment, SweepCoverage, SweepProgress } from './comment.ts';

export interface WalkLimits {
  /** Pages of comments in one sweep (docs/specification/engagement.md#limits: 500). */
  readonly maxPages: number;
  /** Pages of replies in one sweep, over all comments. */
  readonly maxReplyPages: number;
  /** Pages of replies to one comment in one sweep. */
  readonly maxPagesPerThread: number;
}

/** What all parts of a sweep need. */
export interface SweepDeps extends Pick<UseCaseParts, 'platforms' | 'queue' | 'clock' | 'logger'> {
  readonly campaigns: Pick<CampaignStore, 'find' | 'update'>;
  readonly comments: CommentStore;
  readonly creators: Pick<CreatorStore, 'linksOf' | 'rememberAccounts'>;
  readonly limits?: Partial<WalkLimits>;
  /** A sweep that gave no sign of life for this long is taken over. */
  readonly takeOverAfterMs: number;
  /** How many of the counted comments may be missing without leaving a verdict open. */
  readonly absenceTolerance: AbsenceTolerance;
  /** Ends the sweep; its progress stays. */
  readonly signal: AbortSignal;
}

export interface WalkDeps
  extends Pick<SweepDeps, 'comments' | 'clock' | 'logger' | 'takeOverAfterMs' | 'absenceTolerance' | 'signal'> {
  readonly platform: Platform;
  readonly post: PostRef;
  readonly withReplies: boolean;
  /** False: replies are no part of what is looked for, so those that are not read are not missing. */
  readonly repliesCount: boolean;
  /** Sees every page as it comes. */
  readonly onPage?: (page: CommentPage) => void;
  /** Notes whose accounts the comments of a page show. */
  readonly noteAccounts: (comments: readonly NewComment[]) => Promise<void>;
  /** Asks the platform elsewhere how many comments the post has; null if that is not known. */
  readonly askTotal: () => Promise<number | null>;
  readonly limits: WalkLimits;
  /** A sweep that began before this time, and stands still at what cannot be read, is begun again by the next walk; any by default. */
  readonly restartBefore?: Date | undefined;
  readonly call: PlatformCallOptions;
}

export type EndedSweep = SweepProgress & { readonly status: 'swept' | 'partial' };

/** What those are told who waited for a sweep. */
export type SweepOutcome = SweepCoverage & Pick<EndedSweep, 'status' | 'leasedAt'>;

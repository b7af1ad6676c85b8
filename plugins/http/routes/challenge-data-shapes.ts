/** What challenge data looks like on the wire: the schemas of responses, and the views that fill them. */
import { z } from 'zod';
import type { MetricsSnapshot, StoredComment, StoredLiker } from '../../../core/engagement/challenge-data/comment.ts';
import type { LikersList } from '../../../core/engagement/challenge-data/read-stored.ts';
import { authorId, timestamp } from '../schemas.ts';

export const commentSchema = z
  .object({
    id: z.int(),
    platformCommentId: z.string(),
    username: z.string(),
    authorId,
    commentText: z.string(),
    commentedAt: timestamp,
    createdAt: timestamp.meta({ description: 'When it was stored.' }),
    withheld: z.enum(['hidden', 'removed']).optional().meta({
      description:
        'Deleted, or hidden by the owner of the post, as an official API tells. It decides nothing; hidden ones do with `countHidden`.',
    }),
  })
  .meta({ id: 'StoredComment' });

export const refreshResult = z
  .object({
    totalFetched: z.int().meta({ description: 'Distinct comments and replies read; those stored before included.' }),
    sweepStatus: z.enum(['swept', 'partial', 'failed']).meta({
      description: '`swept`: the last page was reached. `partial`: it was not; the next refresh continues from there.',
    }),
    historyComplete: z.boolean().meta({ description: 'Every page of comments and of replies was read to its end.' }),
    expectedTotal: z.int().nullable().meta({
      description: 'How many comments, replies included, the platform says exist; null if it does not say.',
    }),
    warning: z
      .string()
      .nullable()
      .meta({
        description:
          'What may be missing; null if as much was read as there is. A creator who was not found in such a reading is not ' +
          'failed, but checked again.',
      }),
  })
  .meta({ id: 'CommentsRefresh' });

const metricsFields = {
  likeCount: z.int(),
  commentCount: z.int(),
  shareCount: z.int(),
  viewCount: z.int().nullable(),
  fetchedAt: timestamp,
};
export const metricsSchema = z.object(metricsFields).meta({
  id: 'Metrics',
  description: 'Of what the platform does not show, `viewCount` is null and the others are 0.',
});
export const refreshedMetrics = z
  .object({ ...metricsFields, thumbnailUrl: z.string().nullable() })
  .meta({ id: 'RefreshedMetrics' });
export const queuedMetrics = z
  .object({ challengeId: z.int(), status: z.literal('queued'), requestedAt: timestamp })
  .meta({ id: 'QueuedMetricsRefresh' });

export const likersStatus = z
  .object({
    challengeId: z.int(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed']),
    fetchedCount: z.int(),
    totalLikes: z.int().nullable(),
    errorMessage: z.string().nullable(),
    warning: z.string().nullable(),
    requestedAt: timestamp,
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
  })
  .meta({ id: 'LikersFetch' });

export const likerSchema = z
  .object({
    id: z.int(),
    username: z.string(),
    fullName: z.string().nullable(),
    igUserId: z.string(),
    isPrivate: z.boolean(),
    isVerified: z.boolean(),
    profilePicUrl: z.string().nullable(),
    likedPost: z.boolean(),
    postUrl: z.string(),
    totalLikes: z.int().nullable(),
  })
  .meta({ id: 'Liker' });

export function shownComment(comment: StoredComment) {
  return { ...comment, authorId: comment.authorId ?? null };
}

/** What the platform does not show is 0 here, but for `viewCount`. */
export function shownMetrics(snapshot: MetricsSnapshot) {
  const { likeCount, commentCount, shareCount } = snapshot;
  return { ...snapshot, likeCount: likeCount ?? 0, commentCount: commentCount ?? 0, shareCount: shareCount ?? 0 };
}

/** A liker with what is known of the post. */
export function shownLiker(liker: StoredLiker, { challenge, fetch }: LikersList) {
  const { canonicalUrl: postUrl } = challenge;
  return { ...liker, likedPost: true, postUrl, totalLikes: fetch?.totalLikes ?? null };
}

/** What lookups look like on the wire: the schemas of responses. */
import { z } from 'zod';
import { authorId, platformName, timestamp } from '../schemas.ts';

const count = z.int().nullable();

export const postDetails = z
  .object({
    platform: platformName,
    contentType: z.literal('post'),
    postUrl: z.string(),
    owner: z.object({
      handle: z.string(),
      accountId: z.string().meta({ description: 'Stable across handle changes; use it to verify ownership.' }),
      secUid: z.string().nullable(),
      displayName: z.string().nullable(),
    }),
    post: z.object({
      caption: z.string().nullable(),
      postedAt: timestamp.nullable(),
      thumbnailUrl: z.string().nullable(),
      mediaUrls: z.array(z.string()),
    }),
    stats: z.object({ views: count, likes: count, comments: count, shares: count, saves: count }).meta({
      description: 'A metric is null when the platform does not expose it, and rounded when it exposes no exact one.',
    }),
    source: z.string(),
  })
  .meta({ id: 'PostDetails' });

export const batchItem = z.discriminatedUnion('ok', [
  postDetails.extend({ url: z.string(), ok: z.literal(true) }).meta({ id: 'BatchSuccess' }),
  z
    .object({ url: z.string(), ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) })
    .meta({ id: 'BatchFailure' }),
]);

export const commentPage = z
  .object({
    platform: platformName,
    postUrl: z.string(),
    comments: z.array(
      z.object({
        id: z.string(),
        username: z.string(),
        authorId,
        text: z.string(),
        createdAt: timestamp,
        likeCount: count,
        replyCount: count,
      }),
    ),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'CommentPage' });

export const profileLookup = z
  .object({
    platform: platformName,
    profile: z.object({
      handle: z.string(),
      accountId: z.string(),
      secUid: z.string().nullable(),
      displayName: z.string().nullable(),
      bio: z.string().nullable(),
      profilePictureUrl: z.string().nullable(),
      isVerified: z.boolean().nullable(),
      isPrivate: z.boolean().nullable(),
      followerCount: count,
      mediaCount: count,
    }),
  })
  .meta({ id: 'ProfileLookup' });

/** What a world is made of, as JSON: the same schemas serve `createWorld` callers and the control API. */
import { z } from 'zod';
import { FAILURE_SHAPES } from './failure-shapes.ts';
import { SIMULATED_PLATFORMS } from './platforms.ts';

const platform = z.enum(SIMULATED_PLATFORMS.names);
const handle = z.string().regex(/^[A-Za-z0-9._]{1,30}$/, 'a handle without @');
const count = z.number().int().min(0).max(2_000_000_000);
const digits = z.string().regex(/^\d{1,20}$/);
const contentId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

export const COUNTS = ['views', 'likes', 'comments', 'shares', 'saves'] as const;

/** A comment by a chosen handle at a chosen place. */
const placedCommentSchema = z.strictObject({
  handle,
  text: z.string().max(2200).default('Count me in!'),
  /** Position in the list of top-level comments; by default spread over the list by the seed. */
  index: count.optional(),
  /** True: not at the top level but as a reply to the comment at `index`. */
  asReply: z.boolean().default(false),
});

export const postInputSchema = z.strictObject({
  platform,
  /** Instagram shortcode or TikTok id; drawn from the seed by default. */
  contentId: contentId.optional(),
  /** The owner's profile is created when the world does not hold it yet. */
  owner: handle,
  kind: z.enum(['image', 'video', 'carousel', 'photo']).default('video'),
  caption: z.string().max(5000).nullable().default('A simulated post'),
  /** What the page shows. Left out: drawn from the seed; `comments` from the real number of comments. Null: hidden. */
  counts: z.partialRecord(z.enum(COUNTS), count.nullable()).default({}),
  thumbnailUrl: z.url().nullable().optional(),
  mediaUrls: z.array(z.url()).max(20).optional(),
  /** Generated top-level comments. They cost no memory: each is computed when it is asked for. */
  comments: count.max(5_000_000).default(0),
  /** Every n-th comment has `count` replies. */
  replies: z
    .strictObject({ every: z.number().int().min(1), count: z.number().int().min(1).max(900) })
    .nullable()
    .default(null),
  placed: z.array(placedCommentSchema).max(10_000).default([]),
  /** Accounts that like the post: generated ones, and these handles before them. */
  likers: count.max(1_000_000).default(0),
  placedLikers: z.array(handle).max(10_000).default([]),
});

export const profileInputSchema = z.strictObject({
  platform,
  handle,
  accountId: digits.optional(),
  displayName: z.string().max(200).optional(),
  bio: z.string().max(2000).default(''),
  isPrivate: z.boolean().default(false),
  isVerified: z.boolean().default(false),
  followers: count.optional(),
  media: count.optional(),
});

export const shortLinkInputSchema = z.strictObject({
  platform,
  /** The path the link is asked for, for example `/t/ZSabc` or `/share/reel/BAabc`. */
  path: z.string().regex(/^\/[A-Za-z0-9._/-]{1,100}$/),
  /** Where it leads: a path on the platform, or null for a link that is gone. */
  target: z.string().max(500).nullable(),
});

export const failureRuleSchema = z.strictObject({
  platform,
  /** Left out: the platform's own site, its official API and the data provider's answers about it. */
  via: z.enum(['own', 'provider', 'official']).optional(),
  /** Left out: every endpoint of the platform. Names: the simulators' endpoint names, as the request log shows them. */
  endpoint: z.string().max(60).optional(),
  /** Only requests for this post, */
  contentId: contentId.optional(),
  /** or for this profile, */
  handle: handle.optional(),
  /** or carrying this session id. */
  session: z.string().max(200).optional(),
  shape: z.enum(FAILURE_SHAPES),
  /** How many requests it hits before things work again; left out: all of them until cleared. */
  times: z.number().int().min(1).optional(),
  retryAfterSeconds: z.number().min(0).max(86_400).optional(),
  /** Waits before answering; with the shape `slow` the right answer follows. */
  latencyMs: z.number().int().min(0).max(120_000).default(0),
});

export type PlacedComment = z.output<typeof placedCommentSchema>;
export type PostInput = z.input<typeof postInputSchema>;
export type ProfileInput = z.input<typeof profileInputSchema>;
export type ShortLinkInput = z.input<typeof shortLinkInputSchema>;
export type FailureRuleInput = z.input<typeof failureRuleSchema>;
export type FailureRule = z.output<typeof failureRuleSchema>;

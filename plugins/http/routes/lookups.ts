/** Stateless lookups (docs/specification/engagement.md#data-lookups) and what they cost. Responses are not wrapped in `data`. */
import { z } from 'zod';
import type { UsageMeter } from '../../../core/access/usage.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Lookups } from '../../../core/lookups/index.ts';
import { BATCH_MAX_URLS } from '../../../core/lookups/read-batch.ts';
import { parseThumbnailUrl, THUMBNAIL_DEADLINE_MS } from '../../../core/lookups/read-post.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { PlatformRegistry } from '../../../core/platforms/registry.ts';
import type { LimitRule } from '../../../core/ports/rate-limiter.ts';
import { callerKey } from '../access.ts';
import * as example from '../examples/samples.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, platformName, registeredPlatform } from '../schemas.ts';
import { batchItem, commentPage, postDetails, profileLookup } from './lookup-shapes.ts';
import { POST_ERRORS, PROFILE_ERRORS, READ_ERRORS } from './read-errors.ts';

export interface LookupRouteDeps {
  readonly platforms: PlatformRegistry;
  readonly lookups: Lookups;
  readonly usage: UsageMeter;
}

const THUMBNAIL_PER_POST: LimitRule = { name: 'thumbnail-post', units: 10, windowSeconds: 300 };
const THUMBNAIL_PER_CALLER: LimitRule = { name: 'thumbnail-caller', units: 100, windowSeconds: 60 };
const BATCH_PER_IP: LimitRule = { name: 'batch-urls', units: 60, windowSeconds: 60 };

const POST_FAILURES = ['VALIDATION_ERROR', ...POST_ERRORS, ...READ_ERRORS] as const;

/** Any text. What is no post URL, an empty or an endless text too, is for the lookup to say (422), or one item of a batch. */
const urlQuery = z.string().meta({ format: 'uri', example: example.POST_URL });
const common = { tag: 'Lookups', access: 'client', brand: 'any' } as const;

export function createLookupRoutes(deps: LookupRouteDeps) {
  return [...postRoutes(deps), ...commentAndProfileRoutes(deps)];
}

function postRoutes({ lookups, platforms, usage }: LookupRouteDeps) {
  return [
    defineRoute('readPostThumbnail', 'GET /admin/posts/thumbnail', {
      tag: 'Posts',
      summary: 'Check a post by its URL and get its cover',
      description: 'Reads the post and stores nothing. Usually about a second, up to 40: do not retry early.',
      access: 'admin',
      brand: 'any',
      query: z.object({ url: urlQuery }),
      responses: {
        200: {
          description: 'The post is readable; `thumbnailUrl` is null when it has no cover.',
          schema: dataOf(
            z.object({
              platform: platformName,
              contentType: z.literal('post'),
              canonicalUrl: z.string(),
              thumbnailUrl: z.string().nullable(),
            }),
          ).meta({ id: 'PostThumbnail' }),
        },
      },
      errors: POST_FAILURES,
      limits: ({ query, caller }) => [
        { rule: THUMBNAIL_PER_CALLER, key: callerKey(caller), units: 1 },
        { rule: THUMBNAIL_PER_POST, key: postKey(parseThumbnailUrl(platforms, query.url)), units: 1 },
      ],
      handle: async ({ query, signal, caller }) => {
        const options = { signal, caller: callerKey(caller), deadline: new Date(Date.now() + THUMBNAIL_DEADLINE_MS) };
        const { post, thumbnailUrl } = await lookups.thumbnail(parseThumbnailUrl(platforms, query.url), options);
        const { platform, contentType, canonicalUrl } = post;
        return reply(200, { data: { platform, contentType, canonicalUrl, thumbnailUrl } });
      },
    }),
    defineRoute('readPostStats', 'GET /v1/stats', {
      ...common,
      summary: "A post's owner, content and numbers",
      query: z.object({ url: urlQuery }),
      responses: { 200: { description: 'The post.', schema: postDetails } },
      errors: POST_FAILURES,
      handle: async ({ query, signal, caller }) => {
        const post = await lookups.post(query.url, { signal, caller: callerKey(caller) });
        await usage.count(callerKey(caller), { lookups: 1 });
        return reply(200, post);
      },
    }),
    defineRoute('readPostStatsBatch', 'POST /v1/stats/batch', {
      ...common,
      summary: 'Up to 25 posts at once',
      description:
        'Results follow the order of the input; a URL that fails does not fail the others. Each unique URL that succeeds before the deadline of 100 s is one billable unit. Another spelling of a post that is named already is another URL, though the post is read once.',
      body: z
        .strictObject({ urls: z.array(z.string()).min(1).max(BATCH_MAX_URLS) })
        .meta({ example: { urls: [example.POST_URL] } }),
      invalidCode: 'VALIDATION_ERROR',
      responses: {
        200: {
          description: 'One result per URL, in order.',
          schema: z
            .object({
              results: z.array(batchItem),
              summary: z.object({ total: z.int(), succeeded: z.int(), failed: z.int() }),
            })
            .meta({ id: 'BatchResult' }),
        },
      },
      // Where the address is not known, one caller does not use up what others have.
      limits: ({ body, caller, ip }) => [{ rule: BATCH_PER_IP, key: ip || callerKey(caller), units: body.urls.length }],
      handle: async ({ body, signal, caller }) => {
        const { results, billableUnits } = await lookups.posts(body.urls, signal, callerKey(caller));
        await usage.count(callerKey(caller), { batchRequests: 1, batchBillableUnits: billableUnits });
        const succeeded = results.filter(({ ok }) => ok).length;
        return reply(200, {
          results: results.map((result) =>
            result.ok
              ? { url: result.url, ok: true, ...result.post }
              : { url: result.url, ok: false, error: { code: result.error.code, message: result.error.message } },
          ),
          summary: { total: results.length, succeeded, failed: results.length - succeeded },
        });
      },
    }),
  ];
}

function commentAndProfileRoutes({ lookups, platforms, usage }: LookupRouteDeps) {
  return [
    defineRoute('readPostComments', 'GET /v1/comments', {
      ...common,
      summary: "One page of a post's comments",
      description:
        'Top-level comments only. Repeat with `nextCursor` until `hasMore` is false. Comments that the platform lists are read, also where the post itself is `POST_AGE_RESTRICTED`.',
      query: z.object({
        url: urlQuery,
        cursor: z
          .string()
          .max(16_384)
          .optional()
          .meta({ description: '`nextCursor` of the page before. Empty, or left out, for the first page.' }),
      }),
      responses: { 200: { description: 'A page; an empty list means no comments.', schema: commentPage } },
      errors: POST_FAILURES,
      handle: async ({ query, signal, caller }) => {
        const lookup = await lookups.comments(query.url, query.cursor || null, { signal, caller: callerKey(caller) });
        const { post, nextCursor } = lookup;
        await usage.count(callerKey(caller), { lookups: 1 });
        const comments = lookup.comments.map((comment) => ({ ...comment, authorId: comment.authorId ?? null }));
        return reply(200, {
          platform: post.platform,
          postUrl: post.canonicalUrl,
          comments,
          nextCursor,
          hasMore: nextCursor !== null,
        });
      },
    }),
    defineRoute('readProfile', 'GET /v1/profile', {
      ...common,
      summary: 'A public profile',
      query: z.object({
        platform: registeredPlatform(platforms),
        handle: z.string().min(1).max(64).meta({ description: 'With or without @; not a URL.', example: 'nasa' }),
      }),
      responses: { 200: { description: 'The profile.', schema: profileLookup } },
      errors: [...PROFILE_ERRORS, ...READ_ERRORS],
      handle: async ({ query, signal, caller }) => {
        const handle = platforms.parseHandle(query.platform, query.handle);
        if (handle === null) {
          const what = 'send a handle, not a URL or a name.';
          throw new DomainError('INVALID_REQUEST', `Invalid request: query.handle: ${what}`);
        }
        const profile = await lookups.profile(query.platform, handle, { signal, caller: callerKey(caller) });
        await usage.count(callerKey(caller), { lookups: 1 });
        return reply(200, { platform: profile.platform, profile });
      },
    }),
  ];
}

/** One post has several addresses. */
function postKey({ platform, contentId }: PostRef): string {
  return `${platform}:${contentId}`;
}

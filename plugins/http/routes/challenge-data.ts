/** Stored comments, metrics and likers of a challenge, and their refreshes (docs/specification/engagement.md#challenge-data). */
import { z } from 'zod';
import type { MetricsSnapshot, StoredLiker } from '../../../core/engagement/challenge-data/comment.ts';
import { DEFAULT_MAX_LIKERS } from '../../../core/engagement/challenge-data/fetch-likers.ts';
import type { LikersList } from '../../../core/engagement/challenge-data/read-likers.ts';
import { MOST_LIKERS } from '../../../core/engagement/challenge-data/run-likers-fetch.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { ErrorCode } from '../../../core/errors.ts';
import { callerKey } from '../access.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, idParam, integerQuery, pageOf, pageQuery, timestamp } from '../schemas.ts';

const TAG = 'Challenge data';
const PATH = '/admin/challenges/{challengeId}';
const params = z.object({ challengeId: idParam });

/** What reading a post can be refused with. */
const POST_ERRORS: readonly ErrorCode[] = [
  'POST_NOT_FOUND',
  'POST_PRIVATE',
  'POST_AGE_RESTRICTED',
  'POST_UNAVAILABLE',
  'SCRAPING_RATE_LIMITED',
  'PLATFORM_UNAVAILABLE',
  'PLATFORM_TIMEOUT',
];

const commentSchema = z
  .object({
    id: z.int(),
    platformCommentId: z.string(),
    username: z.string(),
    commentText: z.string(),
    commentedAt: timestamp,
    createdAt: timestamp.meta({ description: 'When it was stored.' }),
  })
  .meta({ id: 'StoredComment' });

const refreshResult = z
  .object({
    totalFetched: z.int().meta({ description: 'Distinct comments and replies read; those stored before included.' }),
    sweepStatus: z.enum(['swept', 'partial', 'failed']).meta({
      description: '`swept`: the last page was reached. `partial`: it was not; the next refresh goes on from there.',
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
  .meta({
    id: 'CommentsRefresh',
    example: { totalFetched: 2480, sweepStatus: 'swept', historyComplete: true, expectedTotal: 2491, warning: null },
  });

const metricsFields = {
  likeCount: z.int(),
  commentCount: z.int(),
  shareCount: z.int(),
  viewCount: z.int().nullable(),
  fetchedAt: timestamp,
};
const metricsSchema = z.object(metricsFields).meta({
  id: 'Metrics',
  description: 'Of what the platform does not show, `viewCount` is null and the others are 0.',
  example: {
    likeCount: 912,
    commentCount: 48,
    shareCount: 0,
    viewCount: 15100,
    fetchedAt: '2026-11-01T09:30:00.000Z',
  },
});
const refreshedMetrics = z
  .object({ ...metricsFields, thumbnailUrl: z.string().nullable() })
  .meta({ id: 'RefreshedMetrics' });
const queuedMetrics = z
  .object({ challengeId: z.int(), status: z.literal('queued'), requestedAt: timestamp })
  .meta({ id: 'QueuedMetricsRefresh' });

const likersStatus = z
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

const likerSchema = z
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

/** The rows; all for role `admin`. */
export function createChallengeDataRoutes({ challenges }: Pick<Engagement, 'challenges'>) {
  return [
    defineRoute({
      id: 'listComments',
      method: 'GET',
      path: `${PATH}/comments`,
      tag: TAG,
      summary: 'The stored comments of a challenge',
      description: 'Newest first. Reads the storage only; refresh to read the platform.',
      access: 'admin',
      params,
      query: pageQuery,
      responses: { 200: { description: 'A page of comments.', schema: pageOf(commentSchema) } },
      handle: async ({ params: { challengeId }, query }) => {
        const { items, total } = await challenges.listComments(challengeId, query);
        return reply(200, { data: items, pagination: { ...query, total } });
      },
    }),
    defineRoute({
      id: 'refreshComments',
      method: 'POST',
      path: `${PATH}/comments/refresh`,
      tag: TAG,
      summary: 'Read the comments from the platform',
      description:
        'Reads up to 500 pages, and the threads of replies where the platform’s comments are read with them, and stores what is new; answers when that is done, which can take minutes. It goes on when the client hangs up, and concurrent calls share one reading. Comments that the platform lists are read, also where the post itself is `POST_AGE_RESTRICTED`.',
      access: 'admin',
      params,
      responses: { 200: { description: 'How far the reading came.', schema: dataOf(refreshResult) } },
      errors: POST_ERRORS,
      handle: async ({ params: { challengeId }, signal, caller }) =>
        reply(200, { data: await challenges.refreshComments(challengeId, { signal, caller: callerKey(caller) }) }),
    }),
    defineRoute({
      id: 'getMetrics',
      method: 'GET',
      path: `${PATH}/metrics`,
      tag: TAG,
      summary: 'The latest metrics snapshot',
      description: 'Reads the storage only. 404 until metrics were refreshed once.',
      access: 'admin',
      params,
      responses: { 200: { description: 'The snapshot.', schema: dataOf(metricsSchema) } },
      handle: async ({ params: { challengeId } }) =>
        reply(200, { data: shownMetrics(await challenges.metrics(challengeId)) }),
    }),
    defineRoute({
      id: 'refreshMetrics',
      method: 'POST',
      path: `${PATH}/metrics/refresh`,
      tag: TAG,
      summary: 'Read the metrics from the platform',
      access: 'admin',
      params,
      responses: {
        200: { description: 'Stored as a new snapshot.', schema: dataOf(refreshedMetrics) },
        202: {
          description:
            'Takes longer than 25 seconds or has to wait for a rate limit; it is carried on in the background.',
          schema: dataOf(queuedMetrics),
        },
      },
      // Where the platform asks to wait, a job does.
      errors: POST_ERRORS.filter((code) => code !== 'SCRAPING_RATE_LIMITED'),
      handle: async ({ params: { challengeId }, signal, caller }) => {
        const outcome = await challenges.refreshMetrics(challengeId, signal, callerKey(caller));
        if (outcome.kind === 'queued') {
          const data = { challengeId, status: 'queued' as const, requestedAt: outcome.requestedAt };
          return reply(202, { data });
        }
        const { snapshot } = outcome;
        return reply(200, { data: { ...shownMetrics(snapshot), thumbnailUrl: snapshot.thumbnailUrl } });
      },
    }),
    defineRoute({
      id: 'refreshLikers',
      method: 'POST',
      path: `${PATH}/likers/refresh`,
      tag: TAG,
      summary: 'Read the likers from the platform',
      description:
        'Only on platforms that show who liked a post. Runs in the background; ask for the status. A fetch under way that asks for as many likers is joined.',
      access: 'admin',
      params,
      query: z.object({ maxCount: integerQuery(1, MOST_LIKERS, DEFAULT_MAX_LIKERS) }),
      responses: { 202: { description: 'Queued.', schema: dataOf(likersStatus) } },
      errors: ['NOT_SUPPORTED'],
      handle: async ({ params: { challengeId }, query }) =>
        reply(202, { data: await challenges.refreshLikers(challengeId, query.maxCount) }),
    }),
    defineRoute({
      id: 'getLikersStatus',
      method: 'GET',
      path: `${PATH}/likers/status`,
      tag: TAG,
      summary: 'How the latest fetch of likers stands',
      access: 'admin',
      params,
      responses: { 200: { description: 'null when none was requested.', schema: dataOf(likersStatus.nullable()) } },
      handle: async ({ params: { challengeId } }) => reply(200, { data: await challenges.likersStatus(challengeId) }),
    }),
    defineRoute({
      id: 'listLikers',
      method: 'GET',
      path: `${PATH}/likers`,
      tag: TAG,
      summary: 'The likers of the latest fetch that succeeded',
      access: 'admin',
      params,
      query: pageQuery,
      responses: {
        200: {
          description: 'Empty when no fetch has succeeded.',
          schema: pageOf(likerSchema).extend({
            warning: z.string().optional().meta({ description: 'There when fewer were reachable than are visible.' }),
          }),
        },
      },
      handle: async ({ params: { challengeId }, query }) => {
        const list = await challenges.listLikers(challengeId, query);
        const data = list.items.map((liker) => shownLiker(liker, list));
        const pagination = { ...query, total: list.total };
        const warning = list.fetch?.warning ?? null;
        return reply(200, { data, pagination, ...(warning === null ? {} : { warning }) });
      },
    }),
  ];
}

function shownMetrics(snapshot: MetricsSnapshot) {
  const { likeCount, commentCount, shareCount, viewCount, fetchedAt } = snapshot;
  return {
    likeCount: likeCount ?? 0,
    commentCount: commentCount ?? 0,
    shareCount: shareCount ?? 0,
    viewCount,
    fetchedAt,
  };
}

function shownLiker(liker: StoredLiker, { challenge, fetch }: LikersList) {
  const { canonicalUrl: postUrl } = challenge;
  return { ...liker, likedPost: true, postUrl, totalLikes: fetch?.totalLikes ?? null };
}

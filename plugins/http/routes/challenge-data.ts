/** Stored comments, metrics and likers of a challenge, and their refreshes (docs/specification/engagement.md#challenge-data). */
import { z } from 'zod';
import type { StoredComment } from '../../../core/engagement/challenge-data/comment.ts';
import { DEFAULT_MAX_LIKERS } from '../../../core/engagement/challenge-data/fetch-likers.ts';
import { MOST_LIKERS } from '../../../core/engagement/challenge-data/run-likers-fetch.ts';
import type { Engagement } from '../../../core/engagement/index.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import { callerKey } from '../access.ts';
import { ofChallenge } from '../brand-access.ts';
import { BY_ID, type ListOrder, readListPage } from '../list-cursor.ts';
import { defineRoute, reply } from '../route.ts';
import { dataOf, integerQuery, pageOf, pageQuery } from '../schemas.ts';
import {
  commentSchema,
  likerSchema,
  likersStatus,
  metricsSchema,
  queuedMetrics,
  refreshedMetrics,
  refreshResult,
  shownComment,
  shownLiker,
  shownMetrics,
} from './challenge-data-shapes.ts';
import { POST_ERRORS, READ_ERRORS } from './read-errors.ts';

const PATH = '/admin/challenges/{challengeId}';

/** How stored comments are ordered. */
const NEWEST_FIRST: ListOrder<StoredComment> = {
  by: 'at',
  positionOf: ({ id, commentedAt }) => ({ id, at: commentedAt }),
};

const SWEEP_ERRORS = [...POST_ERRORS, ...READ_ERRORS].filter((code) => code !== 'NOT_SUPPORTED');

const common = { tag: 'Challenge data', access: 'admin', brand: ofChallenge, audit: 'challenge' } as const;

/** The rows; all for role `admin`. */
export function createChallengeDataRoutes({ challenges }: Pick<Engagement, 'challenges'>) {
  return [
    defineRoute('listComments', `GET ${PATH}/comments`, {
      ...common,
      summary: 'The stored comments of a challenge',
      description: 'Newest first. Reads the storage only; refresh to read the platform.',
      query: pageQuery,
      responses: { 200: { description: 'A page of comments.', schema: pageOf(commentSchema) } },
      handle: async ({ params: { challengeId }, query }) => {
        const read = (request: PageRequest) => challenges.listComments(challengeId, request);
        return reply(200, await readListPage(query, read, NEWEST_FIRST, shownComment));
      },
    }),
    defineRoute('refreshComments', `POST ${PATH}/comments/refresh`, {
      ...common,
      summary: 'Read the comments from the platform',
      description:
        'Reads up to 500 pages, and the threads of replies where the platform’s comments are read with them, and stores what is new. Answers when that is done, which can take minutes. It continues when the client hangs up, and concurrent calls share one reading. Comments that the platform lists are read, also where the post itself is `POST_AGE_RESTRICTED`.',
      responses: { 200: { description: 'How far the reading came.', schema: dataOf(refreshResult) } },
      errors: SWEEP_ERRORS,
      handle: async ({ params: { challengeId }, signal, caller }) =>
        reply(200, { data: await challenges.refreshComments(challengeId, { signal, caller: callerKey(caller) }) }),
    }),
    defineRoute('getMetrics', `GET ${PATH}/metrics`, {
      ...common,
      summary: 'The latest metrics snapshot',
      description: 'Reads the storage only. 404 until metrics were refreshed once.',
      responses: { 200: { description: 'The snapshot.', schema: dataOf(metricsSchema) } },
      handle: async ({ params: { challengeId } }) =>
        reply(200, { data: shownMetrics(await challenges.metrics(challengeId)) }),
    }),
    defineRoute('refreshMetrics', `POST ${PATH}/metrics/refresh`, {
      ...common,
      summary: 'Read the metrics from the platform',
      responses: {
        200: { description: 'Stored as a new snapshot.', schema: dataOf(refreshedMetrics) },
        202: {
          description:
            'Takes longer than 25 seconds or has to wait for a rate limit; it is carried on in the background.',
          schema: dataOf(queuedMetrics),
        },
      },
      // Where the platform asks to wait, a job does.
      errors: SWEEP_ERRORS.filter((code) => code !== 'SCRAPING_RATE_LIMITED'),
      handle: async ({ params: { challengeId }, signal, caller }) => {
        const outcome = await challenges.refreshMetrics(challengeId, signal, callerKey(caller));
        if (outcome.kind === 'queued') {
          const data = { challengeId, status: 'queued' as const, requestedAt: outcome.requestedAt };
          return reply(202, { data });
        }
        return reply(200, { data: shownMetrics(outcome.snapshot) });
      },
    }),
    defineRoute('refreshLikers', `POST ${PATH}/likers/refresh`, {
      ...common,
      summary: 'Read the likers from the platform',
      description:
        'Only on platforms that show who liked a post. Runs in the background; ask for the status. A fetch under way that asks for as many likers is joined.',
      query: z.object({ maxCount: integerQuery(1, MOST_LIKERS, DEFAULT_MAX_LIKERS) }),
      responses: { 202: { description: 'Queued.', schema: dataOf(likersStatus) } },
      errors: ['NOT_SUPPORTED'],
      handle: async ({ params: { challengeId }, query }) =>
        reply(202, { data: await challenges.refreshLikers(challengeId, query.maxCount) }),
    }),
    defineRoute('getLikersStatus', `GET ${PATH}/likers/status`, {
      ...common,
      summary: 'How the latest fetch of likers stands',
      responses: { 200: { description: 'null when none was requested.', schema: dataOf(likersStatus.nullable()) } },
      handle: async ({ params: { challengeId } }) => reply(200, { data: await challenges.likersStatus(challengeId) }),
    }),
    defineRoute('listLikers', `GET ${PATH}/likers`, {
      ...common,
      summary: 'The likers of the latest fetch that succeeded',
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
        let warning: string | undefined;
        const read = async (request: PageRequest) => {
          const found = await challenges.listLikers(challengeId, request);
          warning = found.fetch?.warning ?? undefined;
          return { items: found.items.map((liker) => shownLiker(liker, found)), total: found.total };
        };
        return reply(200, { ...(await readListPage(query, read, BY_ID)), warning });
      },
    }),
  ];
}

/** Examples of the lookups and of the service's own routes. */
import { answers, data, type OperationExamples } from './operation-examples.ts';
import * as example from './samples.ts';

const post = {
  platform: 'instagram',
  contentType: 'post',
  postUrl: example.POST_URL,
  owner: { handle: 'acme', accountId: '528817151', secUid: null, displayName: 'Acme' },
  post: {
    caption: 'Our spring collection is here',
    postedAt: example.TIME,
    thumbnailUrl: 'https://cdn.example/C8xample123.jpg',
    mediaUrls: ['https://cdn.example/C8xample123-full.jpg'],
  },
  stats: { views: null, likes: 912, comments: 48, shares: null, saves: null },
  source: 'instagram:page',
};
const GONE = 'https://www.tiktok.com/@acme/video/7300000000000000000';

export const LOOKUP_EXAMPLES: OperationExamples = {
  readPostThumbnail: data({
    platform: 'instagram',
    contentType: 'post',
    canonicalUrl: example.POST_URL,
    thumbnailUrl: 'https://cdn.example/C8xample123.jpg',
  }),
  readPostStats: answers(post),
  readPostStatsBatch: {
    request: { urls: [example.POST_URL, GONE] },
    ...answers({
      results: [
        { url: example.POST_URL, ok: true, ...post },
        { url: GONE, ok: false, error: { code: 'POST_NOT_FOUND', message: 'There is no such post.' } },
      ],
      summary: { total: 2, succeeded: 1, failed: 1 },
    }),
  },
  readPostComments: answers({
    platform: 'instagram',
    postUrl: example.POST_URL,
    comments: [
      {
        id: '17912345678901234',
        username: 'ada.l',
        authorId: '528817151',
        text: 'Count me in!',
        createdAt: example.TIME,
        likeCount: 4,
        replyCount: 0,
      },
    ],
    nextCursor: 'eyJ2IjoxLCJhZnRlciI6IjE3OTEyMzQ1In0',
    hasMore: true,
  }),
  readProfile: answers({
    platform: 'instagram',
    profile: {
      handle: 'nasa',
      accountId: '528817151',
      secUid: null,
      displayName: 'NASA',
      bio: 'Exploring the universe and our home planet.',
      profilePictureUrl: 'https://cdn.example/nasa.jpg',
      isVerified: true,
      isPrivate: false,
      followerCount: 97_500_000,
      mediaCount: 4400,
    },
  }),
  readCaller: data({ role: 'brand', tokenId: 7, externalId: null, brandId: 1 }),
  listSettings: data([{ field: 'jobs.queue', isSet: true, isSecret: false, value: 'leased' }]),
  readUsage: data({
    period: { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
    batch: { billableUnits: 412, requests: 20 },
    lookups: { requests: 96 },
    webProofs: { proofs: 3, verifications: 11, compressions: 2 },
  }),
  liveness: answers({ status: 'ok' }),
  metrics: answers(
    'credence_jobs{state="queued"} 4\ncredence_request_duration_seconds_count{route="readPostThumbnail",outcome="200"} 96\n',
  ),
  readiness: {
    responses: {
      200: {
        ready: true,
        checks: { lifecycle: 'ok', storage: 'ok', 'instagram-sessions': '1 of 2 retired: session-1 dead' },
      },
      503: { ready: false, checks: { lifecycle: 'stopping', storage: 'ok' } },
    },
  },
};

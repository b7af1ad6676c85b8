/**
 * The engagement core on a real storage, with a clock that stands still, a scripted platform and jobs that run when a test
 * says so.
 */

import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createMemoryRateLimiter } from '../../adapters/memory-rate-limiter/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { type AbsenceTolerance, DEFAULT_ABSENCE_TOLERANCE } from '../../core/engagement/attempts/absence.ts';
import type { CampaignWithChallenge } from '../../core/engagement/campaigns/campaign.ts';
import type { CreateCampaignInput } from '../../core/engagement/campaigns/create-campaign.ts';
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import { createCommentSweeper } from '../../core/engagement/challenge-data/sweep-comments.ts';
import { refreshCreatorProfile } from '../../core/engagement/creators/refresh-profile.ts';
import { createEngagement } from '../../core/engagement/index.ts';
import type { DueEvent } from '../../core/engagement/webhooks/dispatch-event.ts';
import type { AttemptEvent } from '../../core/engagement/webhooks/outbox.ts';
import { OutboxRelay } from '../../core/engagement/webhooks/outbox-relay.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import { resolvePost } from '../../core/lookups/resolve-post.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { type JobQueue, type NewJob, RescheduleError } from '../../core/ports/job-queue.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Platform, PlatformComment, PostDetails } from '../../core/ports/platform.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { platformsOf } from './platforms.ts';
import { createRecordingLogger } from './recording-logger.ts';

export const POST_URL = 'https://www.instagram.com/p/C0ffee/';
const START = new Date('2026-03-01T12:00:00.000Z');

export type EngagementWorld = Awaited<ReturnType<typeof createEngagementWorld>>;

/** What a test says of its campaign. */
export interface CampaignOfTest extends Partial<Omit<CreateCampaignInput, 'challenge'>> {
  readonly challenge?: Partial<CreateCampaignInput['challenge']>;
}

export interface EngagementWorldOptions {
  /** An empty one of its own by default; `close` closes either. */
  readonly storage?: Storage;
  /** A millisecond goes by whenever the time is asked for, so that no two things happen at the same time. */
  readonly clockTicks?: boolean;
  /** Scales the delays between checks of an undecided claim; 1 by default. */
  readonly recheckScale?: number;
  readonly absenceTolerance?: AbsenceTolerance;
}

export async function createEngagementWorld(options: EngagementWorldOptions = {}) {
  const { storage = createSqliteStorage({ path: ':memory:' }), clockTicks = false, recheckScale = 1 } = options;
  const { absenceTolerance = DEFAULT_ABSENCE_TOLERANCE } = options;
  await storage.open();
  let now = START;
  const clock = {
    now() {
      if (clockTicks) now = new Date(now.getTime() + 1);
      return now;
    },
    monotonicMs: () => now.getTime(),
  };
  const posts = createScriptedPosts();
  const platforms = platformsOf(posts.instagram, posts.tiktok);
  const jobs = createManualQueue();
  const events: AttemptEvent[] = [];
  const dispatch = async (due: readonly DueEvent[]) => {
    events.push(...due.map(({ event }) => event as AttemptEvent));
  };
  const outbox = new OutboxRelay({ outbox: storage.outbox, queue: jobs.queue, logger: silentLogger, dispatch });
  // What a transition leaves behind is handed over by `settle` alone, so that a test sees the state in between.
  const relay = { nudge: async () => {}, handOver: async () => {} };
  const random = systemRandom;
  /** Hears the use cases that a test asks about. */
  const logger = createRecordingLogger();
  const { queue } = jobs;
  const sweeper = createCommentSweeper({ ...storage, platforms, queue, clock, logger: silentLogger, absenceTolerance });
  const shared = { storage, platforms, clock, random };
  const { creators, brands, campaigns, attempts, periodic, ...engagement } = createEngagement({
    ...shared,
    resolvePost: resolvePost({ platforms }),
    sweeper,
    queue: jobs.queue,
    relay,
    dispatch,
    wakeSender: () => {},
    egress: createEgressGuard(),
    brandEgress: createEgressGuard(),
    secretBox: createSecretBox(new Uint8Array(32)),
    officialApis: new Map(),
    officialAccounts: {
      of: async () => [],
      byAccountId: async () => null,
      refused: async () => {},
      ...storage.brandConnections,
    },
    pushUrl: (platform) => `https://credence.example/push/${platform}`,
    limiter: createMemoryRateLimiter(),
    logger: silentLogger,
    recheckScale,
    absenceTolerance,
    profileWaitMs: 50,
  });
  const verify = engagement.jobs['verify-attempt'].run;
  const reward = engagement.jobs['issue-reward'].run;
  const check = engagement.jobs['check-engagement'].run;

  const useCases = {
    registerCreator: creators.register,
    disconnectCreator: creators.disconnect,
    eraseCreator: creators.erase,
    isHandleRegistered: creators.isHandleRegistered,
    refreshCreatorProfile: refreshCreatorProfile({ ...shared, logger }),
    createBrand: brands.create,
    deleteBrand: brands.delete,
    createCampaign: campaigns.create,
    updateCampaign: campaigns.update,
    listCampaigns: campaigns.list,
    getCampaign: campaigns.get,
    summariseCampaign: campaigns.summarise,
    listResults: campaigns.listResults,
    drawWinners: campaigns.draw,
    readDraw: campaigns.readDraw,
    releaseDraws: periodic.releaseDraws,
    endCampaign: campaigns.end,
    deleteCampaign: campaigns.delete,
    previewRewards: campaigns.previewRewards,
    previewRules: campaigns.previewRules,
    verifyAndReward: campaigns.verifyAndReward,
    createAttempt: attempts.create,
    getAttempt: attempts.get,
    findAttemptByHandle: attempts.findByHandle,
    progressAttempt: attempts.progress,
    forceVerify: attempts.forceVerify,
    reviewAttempt: attempts.review,
    redeliverWebhooks: attempts.redeliver,
    failOverdue: periodic.failOverdue,
    recheckClaims: periodic.recheckClaims,
    queueChecks: periodic.queueChecks,
    releaseHeld: periodic.releaseHeld,
  };

  async function runJob(job: NewJob, run: number): Promise<void> {
    const signal = new AbortController().signal;
    if (job.type === 'verify-attempt') await verify(payloadOf(job, 'verify-attempt'), { run, signal });
    else if (job.type === 'issue-reward') await reward(payloadOf(job, 'issue-reward'));
    else if (job.type === 'check-engagement') await check(payloadOf(job, 'check-engagement'), { signal });
  }

  const close = async () => {
    await sweeper.close();
    await storage.close();
  };
  return {
    ...useCases,
    platforms,
    storage,
    logger,
    posts,
    /** Events handed to the webhooks so far, in order. */
    events,
    verify,
    /** As the job queue does: a reading that continues has another run, a failure uses one of three up. */
    async verifyInRuns(attemptId: number) {
      for (let run = 1; run <= 3; ) {
        try {
          return await verify({ attemptId }, { run, signal: new AbortController().signal });
        } catch (error) {
          if (error instanceof RescheduleError) continue;
          if (!isDomainError(error) || error.code === 'INTERNAL_ERROR') throw error;
          run += 1;
        }
      }
    },
    reward,
    check: (attemptId: number) => check({ attemptId }, { signal: new AbortController().signal }),
    eventNames: () => events.map(({ event }) => event),
    now: () => now,
    pass(ms: number) {
      now = new Date(now.getTime() + ms);
    },
    /** Hands over the outbox and runs jobs until nothing is left; failed runs are repeated at once. */
    async settle() {
      while ((await outbox.drain()) > 0 || jobs.size() > 0) {
        await jobs.runAll(runJob);
      }
    },
    /** A campaign of a new brand on one post. */
    async campaign({ challenge, ...changes }: CampaignOfTest = {}): Promise<CampaignWithChallenge> {
      const slug = `brand-${Math.floor(performance.now() * 1000)}`;
      const brand = await useCases.createBrand({ name: 'Acme', slug });
      return useCases.createCampaign({
        brandId: brand.id,
        title: 'Spring launch',
        pointsReward: 50,
        challenge: { targetUrl: POST_URL, ...challenge },
        ...changes,
      });
    },
    async creator(name: string, platform: PlatformName = 'instagram') {
      const { creator } = await useCases.registerCreator({ externalId: `ext-${name}`, platform, handle: name });
      return creator;
    },
    /** An attempt of a fresh creator with this handle. */
    async attempt(challengeId: number, name: string) {
      const creator = await this.creator(name);
      return useCases.createAttempt({ challengeId, creator: { userId: creator.id } });
    },
    /** An attempt as it is stored. */
    async stored(id: number) {
      return (await storage.attempts.find(id)) ?? Promise.reject(new Error(`There is no attempt ${id}.`));
    },
    async stateOf(id: number) {
      return (await this.stored(id)).state;
    },
    /** Stores comments as a reading of the post does. */
    async storeComments(challengeId: number, ...comments: readonly (Partial<NewComment> & { username: string })[]) {
      const whole = comments.map((one) => {
        return { platformCommentId: one.username, commentText: 'hi', commentedAt: now, ...one };
      });
      await storage.comments.insertNew(challengeId, whole, clock.now());
    },
    async claim(challengeId: number, attemptId: number) {
      return useCases.progressAttempt({ challengeId, attemptId, action: 'claim_completion' });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function payloadOf<T extends NewJob['type']>(job: NewJob, _type: T): NewJob<T>['payload'] {
  // Sound because the caller has compared the type.
  return job.payload as NewJob<T>['payload'];
}

/** Jobs wait until they are run; those planned for later (a sweep's watchdog) are dropped. */
function createManualQueue() {
  let waiting: NewJob[] = [];
  const queue: Pick<JobQueue, 'enqueue'> = {
    async enqueue(jobs) {
      for (const job of jobs) {
        if (job.runAt === undefined && !waiting.some(({ key }) => key === job.key)) waiting.push(job);
      }
    },
  };
  return {
    queue,
    size: () => waiting.length,
    async runAll(run: (job: NewJob, run: number) => Promise<void>) {
      const batch = waiting;
      waiting = [];
      for (const job of batch) {
        for (let count = 1; ; count += 1) {
          try {
            await run(job, count);
            break;
          } catch (error) {
            if (count === 10) throw error;
          }
        }
      }
    },
  };
}

/** A platform whose one post has what a test puts there. */
function createScriptedPosts() {
  const state = {
    comments: [] as PlatformComment[],
    /** The list of comments ends early: only these are shown; the total is what it is. */
    shown: Infinity,
    /** What the list says about the total, besides the truth. */
    listTotal: undefined as number | null | undefined,
    /** Comments on each page that cannot be read. */
    skipped: 0,
    likers: [] as string[],
    /** What the platform says about the number of likes, besides the truth. */
    totalLikes: undefined as number | null | undefined,
    /** Thrown by the next reads of the post, one after the other. */
    failures: [] as Error[],
    /** While true, every read of the post fails. */
    isDown: false,
    profile: async (_handle: string): Promise<Awaited<ReturnType<Platform['getProfile']>>> => null,
    pageSize: 50,
    reads: 0,
    profileReads: 0,
  };
  let written = 0;
  const numbered: string[] = [];
  /** The same for a handle whenever it is asked for. */
  const numberOf = (username: string) => {
    if (!numbered.includes(username)) numbered.push(username);
    return String(numbered.indexOf(username) + 1);
  };
  const fail = () => {
    state.reads += 1;
    const failure = state.failures.shift();
    if (failure) throw failure;
    if (state.isDown) throw new DomainError('PLATFORM_UNAVAILABLE', 'The platform is down.');
  };
  const platform = (name: PlatformName): Platform => ({
    name,
    supports: { likers: name === 'instagram', replies: false },
    resolveShortLink: async () => 'https://www.tiktok.com/@ada/video/7300000000000000001',
    async getPost(post) {
      fail();
      return samplePost(post, {
        comments: state.comments.length,
        likes: state.totalLikes === undefined ? state.likers.length : state.totalLikes,
      });
    },
    async getComments(_post, cursor) {
      fail();
      const start = Number(cursor ?? 0);
      const end = start + state.pageSize;
      const listed = state.comments.slice(0, state.shown);
      return {
        comments: listed.slice(start, end),
        nextCursor: end < listed.length ? String(end) : null,
        ...(state.listTotal === undefined
          ? { expectedTotal: state.comments.length, isPostTotal: true }
          : { expectedTotal: state.listTotal }),
        skipped: state.skipped,
      };
    },
    getReplies: async () => ({ comments: [], nextCursor: null }),
    async getLikers(_post, maxCount) {
      fail();
      const likers = state.likers.slice(0, maxCount).map((username) => ({
        accountId: numberOf(username),
        username,
        fullName: null,
        isPrivate: false,
        isVerified: false,
        profilePicUrl: null,
      }));
      return { likers, totalLikes: state.totalLikes === undefined ? state.likers.length : state.totalLikes };
    },
    getProfile: (handle) => {
      state.profileReads += 1;
      return state.profile(handle);
    },
    close: async () => {},
  });
  return {
    instagram: platform('instagram'),
    tiktok: platform('tiktok'),
    state,
    comment(username: string, text = `by ${username}`, createdAt = START, authorId: string | null = null) {
      written += 1;
      const id = String(written);
      state.comments.push({ id, parentId: null, username, authorId, text, createdAt, likeCount: 0, replyCount: 0 });
    },
  };
}

function samplePost(post: PostRef, counts: Pick<PostDetails['stats'], 'comments' | 'likes'>): PostDetails {
  return {
    platform: post.platform,
    contentType: 'post',
    contentId: post.contentId,
    postUrl: POST_URL,
    owner: { handle: 'brand', accountId: '1', secUid: null, displayName: null },
    post: { caption: null, postedAt: null, thumbnailUrl: null, mediaUrls: [] },
    stats: { views: null, shares: null, saves: null, ...counts },
    source: 'scripted',
  };
}

/** A scripted platform and a storage with one challenge, for the tests of the sweeps. */

import { afterEach, beforeEach } from 'vitest';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import {
  createCommentSweeper,
  type SweepCommentsDeps,
} from '../../../core/engagement/challenge-data/sweep-comments.ts';
import { DomainError } from '../../../core/errors.ts';
import type { PlatformName } from '../../../core/platforms/platform-name.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import type { JobQueue, NewJob } from '../../../core/ports/job-queue.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type {
  CommentPage,
  LikersResult,
  Platform,
  PlatformComment,
  PostDetails,
} from '../../../core/ports/platform.ts';
import { newCampaign, newChallenge } from '../../contract/storage/samples.ts';
import { platformsOf } from '../../support/platforms.ts';

export function comment(id: string, changes: Partial<PlatformComment> = {}): PlatformComment {
  return {
    id,
    parentId: null,
    username: `user_${id}`,
    text: `text ${id}`,
    createdAt: new Date('2026-11-01T09:00:00Z'),
    likeCount: 0,
    replyCount: 0,
    ...changes,
  };
}

export const reply = (id: string, parentId: string): PlatformComment => comment(id, { parentId });

/** A post whose comments come in pages: page `n` has cursor `c<n>`. */
export class ScriptedPlatform implements Platform {
  readonly name: PlatformName;
  readonly supports: { -readonly [key in keyof Platform['supports']]: boolean };
  pages: PlatformComment[][] = [];
  /** By comment id, in pages. */
  replies: Record<string, PlatformComment[][]> = {};
  likers: LikersResult = { likers: [], totalLikes: 0 };
  post: PostDetails | null = null;
  /** What the list itself says about the total on every page; by default each page gives the total of the post, which is right. */
  expectedTotal: number | null | undefined = undefined;
  /** Every request, for example `comments c3`, `replies a -`. */
  readonly asked: string[] = [];
  /** Runs before a request is answered; throws to refuse it. */
  before: (request: string, signal: AbortSignal | undefined) => void | Promise<void> = () => {};

  constructor(name: PlatformName = 'instagram', likers = name === 'instagram') {
    this.name = name;
    this.supports = { likers, replies: true };
  }

  /** From now on these requests are refused, all of them by default. */
  refuse(error: Error, which = /./): void {
    this.before = (request) => {
      if (which.test(request)) throw error;
    };
  }

  refuseNothing(): void {
    this.before = () => {};
  }

  async getComments(_post: unknown, cursor: string | null, options?: { signal?: AbortSignal }): Promise<CommentPage> {
    await this.ask(`comments ${cursor ?? '-'}`, options?.signal);
    const all = [...this.pages, ...Object.values(this.replies).flat()].flat();
    const total = new Set(all.map(({ id }) => id)).size;
    return {
      ...pageOf(this.pages, cursor),
      ...(this.expectedTotal === undefined
        ? { expectedTotal: total, isPostTotal: true }
        : { expectedTotal: this.expectedTotal }),
    };
  }

  async getReplies(
    _post: unknown,
    commentId: string,
    cursor: string | null,
    options?: { signal?: AbortSignal },
  ): Promise<CommentPage> {
    await this.ask(`replies ${commentId} ${cursor ?? '-'}`, options?.signal);
    return pageOf(this.replies[commentId] ?? [], cursor);
  }

  async getPost(_post: unknown, options?: { signal?: AbortSignal }): Promise<PostDetails> {
    await this.ask('post', options?.signal);
    if (this.post === null) throw new DomainError('POST_NOT_FOUND', 'gone');
    return this.post;
  }

  /** The post has these numbers and no others. */
  shows(stats: Partial<PostDetails['stats']>): void {
    const none = { views: null, likes: null, comments: null, shares: null, saves: null };
    this.post = { stats: { ...none, ...stats } } as PostDetails;
  }

  async getLikers(_post: unknown, maxCount: number, options?: { signal?: AbortSignal }): Promise<LikersResult> {
    await this.ask(`likers ${maxCount}`, options?.signal);
    return this.likers;
  }

  async getProfile(): Promise<null> {
    return null;
  }

  async resolveShortLink(url: string): Promise<string> {
    return url;
  }

  async close(): Promise<void> {}

  private async ask(request: string, signal: AbortSignal | undefined): Promise<void> {
    this.asked.push(request);
    await this.before(request, signal);
  }
}

function pageOf(pages: readonly PlatformComment[][], cursor: string | null): CommentPage {
  const index = cursor === null ? 0 : Number(cursor.slice(1));
  return { comments: pages[index] ?? [], nextCursor: index + 1 < pages.length ? `c${index + 1}` : null };
}

/** Keeps what is enqueued and runs nothing. */
export function recordingQueue(): Pick<JobQueue, 'enqueue'> & { readonly jobs: NewJob[] } {
  const jobs: NewJob[] = [];
  return {
    jobs,
    enqueue: async (added) => void jobs.push(...added),
  };
}

export type SweepWorld = Awaited<ReturnType<typeof createSweepWorld>>;

export async function createSweepWorld(platform = new ScriptedPlatform()) {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  const now = new Date();
  const brand = await storage.brands.create({ name: 'Brand', slug: 'brand', logoUrl: null, createdAt: now });
  const { challenge } = await storage.campaigns.create(
    newCampaign({ brandId: brand?.id ?? 0, createdAt: now }),
    newChallenge({ platform: platform.name }),
  );
  const queue = recordingQueue();
  /** What the use cases of a challenge's data need. */
  const deps = { storage, platforms: platformsOf(platform), queue, clock: systemClock, logger: silentLogger };
  return {
    storage,
    challenge,
    platform,
    queue,
    deps,
    sweeper: (changes: Partial<SweepCommentsDeps> = {}) => createCommentSweeper({ ...storage, ...deps, ...changes }),
    /** Ids of the stored comments, sorted. */
    async storedIds() {
      const { items } = await storage.comments.page(challenge.id, { page: 1, limit: 100_000 });
      return items.map(({ platformCommentId }) => platformCommentId).sort();
    },
  };
}

/** Those of the test that runs, in files that call `sweepInEachTest`. */
export let world: SweepWorld;
export let platform: ScriptedPlatform;

/** Another world, for example of another platform. */
export async function begin(...of: ConstructorParameters<typeof ScriptedPlatform>): Promise<void> {
  await world?.storage.close();
  platform = new ScriptedPlatform(...of);
  world = await createSweepWorld(platform);
}

export function sweepInEachTest(): void {
  beforeEach(() => begin());
  afterEach(() => world.storage.close());
}

export const sweep = (changes?: Parameters<SweepWorld['sweeper']>[0]) =>
  world.sweeper(changes).sweep(world.challenge.id);
export const progress = () => world.storage.comments.sweep(world.challenge.id);
export const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => [comment(`p${index}a`), comment(`p${index}b`)]);

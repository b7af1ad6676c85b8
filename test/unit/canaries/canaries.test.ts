/** The drift monitor with a platform that shows what a test says: what is announced, how often, and what a restart remembers. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCanaries } from '../../../core/canaries/index.ts';
import { shapeOfPost } from '../../../core/canaries/shape.ts';
import type { EventEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { DomainError } from '../../../core/errors.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import type { NewJob } from '../../../core/ports/job-queue.ts';
import type { Platform, PlatformProfile, PostDetails } from '../../../core/ports/platform.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { platformsOf } from '../../support/platforms.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { openTestStorage } from '../../support/storage.ts';

const TARGET = 'tiktok:nasa';
const WHOLE: PlatformProfile = {
  platform: 'tiktok',
  handle: 'nasa',
  accountId: '1',
  secUid: null,
  displayName: 'NASA',
  bio: 'Space',
  profilePictureUrl: 'https://p.example/1',
  isVerified: true,
  isPrivate: false,
  followerCount: 0,
  followingCount: 1,
  mediaCount: 2,
};

function createMonitor(storage: Pick<Storage, 'canaries' | 'outbox'>) {
  let shown: Partial<PlatformProfile> | Error = {};
  const jobs: NewJob[] = [];
  const reader = {
    name: 'tiktok',
    async getProfile() {
      if (shown instanceof Error) throw shown;
      return { ...WHOLE, ...shown };
    },
  } as unknown as Platform;
  const platforms = platformsOf(reader);
  const logger = createRecordingLogger();
  const monitor = createCanaries({
    store: storage.canaries,
    platforms,
    resolvePost: resolvePost({ platforms }),
    queue: { enqueue: async (more) => void jobs.push(...more) },
    relay: { nudge: async () => {} },
    clock: { now: () => new Date() },
    random: systemRandom,
    logger,
    targets: [TARGET],
  });
  return {
    monitor,
    logger,
    jobs,
    show: (next: Partial<PlatformProfile> | Error) => {
      shown = next;
    },
    read: (signal = new AbortController().signal) => monitor.run({ target: TARGET }, { signal }),
  };
}

describe('canaries', () => {
  let storage: Storage;
  beforeAll(async () => {
    const made = await openTestStorage('sqlite');
    storage = made.storage;
    return () => made.close();
  });
  beforeEach(() => storage.canaries.remove(TARGET));

  /** Takes what waits to be announced, as the relay does. */
  async function taken() {
    const pending = await storage.outbox.pending(10);
    await storage.outbox.acknowledge(
      pending.map(({ owner, entries }) => ({ owner, entryIds: entries.map(({ id }) => id) })),
    );
    return pending
      .flatMap(({ entries }) => entries as readonly EventEntry[])
      .map(({ event: { event, data } }) => ({ event, ...data }));
  }

  it('announces a lost field once, also after a restart, a further one again, and the recovery', async () => {
    const first = createMonitor(storage);
    await first.read();
    first.show({ bio: null });
    await first.read();
    await first.read();
    expect(await taken()).toEqual([
      { event: 'platform.drifted', platform: 'tiktok', canary: TARGET, verdict: 'drifted', missing: ['bio'] },
    ]);
    expect(first.logger.lines).toEqual([
      expect.objectContaining({ level: 'error', message: expect.stringMatching(/^platform\.drifted: /) }),
    ]);
    const second = createMonitor(storage);
    second.show({ bio: null });
    await second.read();
    expect(await taken()).toEqual([]);
    second.show({ bio: null, followerCount: null });
    await second.read();
    second.show(new DomainError('PLATFORM_UNAVAILABLE', 'The page is unreadable.'));
    await second.read();
    await second.read();
    second.show({});
    await second.read();
    await second.read();
    expect(await taken()).toEqual([
      expect.objectContaining({ event: 'platform.drifted', missing: ['bio', 'followerCount'] }),
      expect.objectContaining({
        verdict: 'failed',
        missing: [],
        error: 'PLATFORM_UNAVAILABLE',
        message: 'The page is unreadable.',
      }),
      expect.objectContaining({ event: 'platform.recovered', verdict: 'ok', troubledSince: expect.any(String) }),
    ]);
  });

  it('takes what the canary shows for right once it was forgotten, and fields that appear from then on', async () => {
    const { monitor, show, read } = createMonitor(storage);
    show({ bio: null });
    await read();
    show({});
    await read();
    show({ bio: null });
    await read();
    expect(await taken()).toHaveLength(1);
    expect((await monitor.check(TARGET)).missing).toEqual(['bio']);
    await monitor.forget();
    await read();
    expect(await taken()).toEqual([]);
    expect((await monitor.states()).map(({ verdict }) => verdict)).toEqual(['ok']);
  });

  it('announces once if two processes read at the same time', async () => {
    const both = [createMonitor(storage), createMonitor(storage)];
    await both[0]?.read();
    for (const each of both) each.show({ bio: null });
    await Promise.all(both.map(({ read }) => read()));
    expect(await taken()).toHaveLength(1);
  });

  it('concludes nothing from a reading that the process cut short', async () => {
    const { show, read } = createMonitor(storage);
    show(new DomainError('PLATFORM_TIMEOUT', 'Aborted.'));
    const stopping = AbortSignal.abort(new Error('The instance stops.'));
    await expect(read(stopping)).rejects.toThrow('The instance stops.');
    expect(await storage.canaries.list()).toEqual([]);
  });
});

describe('the shape of a post', () => {
  const post = { stats: { likes: 0, views: null }, post: { mediaUrls: [], postedAt: new Date() }, source: 'toy-page' };
  const comment = { id: '1', parentId: null, username: 'a', text: '', likeCount: 0 };

  it('is its fields with a value, those of its comments, and whether every entry was read', () => {
    const shape = (page: object) =>
      shapeOfPost(post as unknown as PostDetails, { nextCursor: null, comments: [], ...page });
    const comments = [comment, { ...comment, replyCount: 2 }];
    expect(shape({ comments, expectedTotal: 9 } as object)).toEqual([
      'comments.id',
      'comments.likeCount',
      'comments.replyCount',
      'comments.total',
      'comments.unskipped',
      'comments.username',
      'post.postedAt',
      'stats.likes',
    ]);
    expect(shape({ skipped: 1, expectedTotal: null })).toEqual(['post.postedAt', 'stats.likes']);
  });
});

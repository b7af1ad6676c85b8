/** Sweeping comments into storage, against fetching the same pages and storing nothing. */
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { createCommentSweeper } from '../../core/engagement/challenge-data/sweep-comments.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { platformsOf } from '../support/platforms.ts';
import { type Bench, type BenchRow, SECONDS, sideBySide, timed } from './measure.ts';
import { postOf, sqlitePlace, startSimulator, storeCampaign } from './support.ts';

export const sweepBench: Bench = {
  title: 'Comment sweep against fetching the same pages and storing nothing (SQLite)',
  async run({ quick, progress }) {
    const pages = quick ? 4 : 100;
    const rows: BenchRow[] = [];
    if (!quick) {
      progress(`${pages} pages`);
      rows.push(await besideFetching(pages, 81));
    }
    progress('a platform that takes its time');
    return [...rows, await besideFetching(pages / 2, quick ? 1 : 5, 10)];
  },
};

async function besideFetching(pages: number, rounds: number, latencyMs?: number): Promise<BenchRow> {
  // TikTok gives 50 in one page, and one less in the first.
  const comments = pages * 50 - 1;
  await using simulator = await startSimulator({ posts: 1, comments, latencyMs });
  const { baseUrl, urls } = simulator.ready;
  const platform = createTikTokPlatform({ baseUrl, pacing: 'off' });
  const post = postOf(urls[0] ?? '');
  try {
    return await sideBySide({
      name: `${comments.toLocaleString('en')} comments, ${pages} pages ${latencyMs === undefined ? 'at once' : `of ${latencyMs} ms`}`,
      unit: SECONDS,
      subject: () => sweep(platform, post, comments),
      reference: { name: 'fetching alone', measure: () => fetchAll(platform, post, comments) },
      rounds,
      aim: { of: 'ratio', atMost: latencyMs === undefined ? 1.6 : 1.1 },
    });
  } finally {
    await platform.close();
  }
}

async function fetchAll(platform: Platform, post: PostRef, expected: number): Promise<number> {
  const milliseconds = await timed(async () => {
    let comments = 0;
    for (let cursor: string | null = null; ; ) {
      const page = await platform.getComments(post, cursor);
      comments += page.comments.length;
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    // A sweep asks the post for its total at the end.
    await platform.getPost(post);
    if (comments !== expected) throw new Error(`${comments} comments were fetched instead of ${expected}.`);
  });
  return milliseconds / 1_000;
}

/** Into a fresh database; opening it is not measured. */
async function sweep(platform: Platform, post: PostRef, expected: number): Promise<number> {
  await using place = await sqlitePlace();
  const { storage } = place;
  const { challenge } = await storeCampaign(storage, post.canonicalUrl);
  const sweeper = createCommentSweeper({
    campaigns: storage.campaigns,
    comments: storage.comments,
    platforms: platformsOf(platform),
    queue: createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger }),
    clock: systemClock,
    logger: silentLogger,
    limits: { maxPages: 500 },
  });
  const milliseconds = await timed(async () => {
    const { totalFetched, historyComplete } = await sweeper.sweep(challenge.id);
    if (totalFetched !== expected || !historyComplete) throw new Error(`Only ${totalFetched} comments were stored.`);
  });
  await sweeper.close();
  return milliseconds / 1_000;
}

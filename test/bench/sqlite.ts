/** On SQLite: sweeping comments against fetching the same pages, and how long a probe waits while a host with very many rows is at work. */
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { createCommentSweeper } from '../../core/engagement/challenge-data/sweep-comments.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { startHostProcess } from '../load/host-process.ts';
import { platformsOf } from '../support/platforms.ts';
import { alone, type Bench, type BenchRow, MILLISECONDS, SECONDS, sideBySide, timed } from './measure.ts';
import { postOf, sqlitePlace, startSimulator, storeCampaign, storeComments, storeCreators } from './support.ts';

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
    creators: storage.creators,
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

const CONNECTIONS = 8;
const PROBE_EVERY_MS = 20;

interface Size {
  readonly comments: number;
  readonly creators: number;
  readonly seconds: number;
}

export const healthzBench: Bench = {
  title: '/healthz while all lists are read and a post is swept (SQLite)',
  async run({ quick, progress }) {
    const sizes: readonly Size[] = quick
      ? [{ comments: 200, creators: 100, seconds: 0.5 }]
      : [
          { comments: 100_000, creators: 100_000, seconds: 20 },
          { comments: 1_000_000, creators: 100_000, seconds: 20 },
        ];
    const rows: BenchRow[] = [];
    for (const size of sizes) {
      progress(`${size.comments} comments`);
      rows.push(await waitsWith(size));
    }
    return rows;
  },
};

async function waitsWith({ comments, creators, seconds }: Size): Promise<BenchRow> {
  await using simulator = await startSimulator({ posts: 1, comments: 2_000 });
  await using place = await sqlitePlace();
  const { campaign, challenge } = await storeCampaign(place.storage, simulator.ready.urls[0]);
  await storeComments(place.storage, challenge.id, comments);
  await storeCreators(place.storage, creators);
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl, STORAGE_URL: place.url });
  const list = `/admin/challenges/${challenge.id}/comments`;
  const last = Math.floor(comments / 100);
  const paths = [
    '/campaigns',
    `/admin/campaigns/${campaign.id}/results`,
    `/admin/campaigns/${campaign.id}/summary`,
    `${list}?limit=100`,
    `${list}?limit=100&page=${Math.ceil(last / 2)}`,
    '/admin/creators?limit=100',
    '/admin/audit-log',
  ];
  const waits: number[] = [];
  let isOver = false;
  const probe = async () => {
    while (!isOver) {
      waits.push(
        await timed(async () => {
          const answer = await fetch(`${host.baseUrl}/healthz`);
          if (!answer.ok) throw new Error(`/healthz answered ${answer.status}.`);
          await answer.text();
        }),
      );
      await sleep(PROBE_EVERY_MS);
    }
  };
  const probing = probe();
  const headers = { authorization: `Bearer ${host.token}` };
  const requests = paths.map((path) => ({ method: 'GET' as const, path }));
  const [load] = await Promise.all([
    autocannon({ url: host.baseUrl, connections: CONNECTIONS, duration: seconds, headers, requests, timeout: 60 }),
    host.call('POST', `${list}/refresh`),
    host.call('POST', `/admin/campaigns/${campaign.id}/verify-and-reward`),
  ]);
  isOver = true;
  await probing;
  if (load['2xx'] === 0 || load.non2xx > 0) throw new Error(`${load.non2xx} requests of the load failed.`);
  const sorted = waits.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const name = `p99 with ${comments.toLocaleString('en')} comments and ${creators.toLocaleString('en')} creators`;
  return alone({ name, unit: MILLISECONDS, aim: { of: 'figure', atMost: 100 } }, [p99]);
}

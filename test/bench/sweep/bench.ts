/** Sweeping comments into storage, against fetching the same pages and storing nothing; and one whole sweep of a host. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLeasedJobQueue } from '../../../adapters/leased-jobs/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { createCommentSweeper } from '../../../core/engagement/challenge-data/sweep-comments.ts';
import type { SweepResult } from '../../../core/engagement/challenge-data/sweep-result.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { newCampaign, newChallenge } from '../../contract/storage/samples.ts';
import { platformsOf } from '../../support/platforms.ts';
import { type Bench, type BenchRow, SECONDS } from '../bench.ts';
import { startChild } from '../child.ts';
import { compared, processorTimed, sideBySide, timed } from '../rounds.ts';
import type { SimulatorReady, SimulatorSetup } from '../simulator.ts';
import { sweepOfHost } from './host.ts';

/** Sweeps that are compared. Three of each: checkpoints do not fall on each sweep alike. */
const MEASURED = 3;

/** TikTok gives 50 in one page, and one less in the first. */
const commentsOf = (pages: number) => pages * 50 - 1;

export const sweepBench: Bench = {
  name: 'sweep',
  title: 'Comment sweep against fetching the same pages and storing nothing (SQLite)',
  async run({ quick, progress }) {
    const pages = quick ? 4 : 100;
    const rows = [];
    if (!quick) {
      progress(`${pages} pages`);
      rows.push(await besideFetching({ pages, rounds: 81 }));
    }
    progress('a platform that takes its time');
    rows.push(await besideFetching({ pages: pages / 2, rounds: quick ? 1 : 5, latencyMs: 10 }));
    progress('sweep after sweep of a long post');
    rows.push(
      await lastBesideFirst(quick ? { sweeps: 6, pagesEach: 2, rounds: 1 } : { sweeps: 20, pagesEach: 500, rounds: 3 }),
    );
    progress('a whole sweep of a host');
    return [...rows, ...(await sweepOfHost(commentsOf(quick ? 4 : 500)))];
  },
};

interface Sweeps {
  readonly pages: number;
  readonly rounds: number;
  readonly latencyMs?: number;
}

async function besideFetching({ pages, rounds, latencyMs }: Sweeps): Promise<BenchRow> {
  const comments = commentsOf(pages);
  const setup: SimulatorSetup = { posts: 1, comments, latencyMs };
  await using simulator = await startChild<SimulatorReady>(new URL('../simulator.ts', import.meta.url), setup);
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

interface SweepsInTurn {
  readonly sweeps: number;
  readonly pagesEach: number;
  readonly rounds: number;
}

/**
 * A post that takes many sweeps, each of which continues where the last one stopped, by processor time of all threads. The
 * last sweeps take turns with the first ones of another database, so that what else the machine does falls on both.
 */
async function lastBesideFirst({ sweeps, pagesEach, rounds }: SweepsInTurn): Promise<BenchRow> {
  const comments = commentsOf(sweeps * pagesEach);
  const setup: SimulatorSetup = { posts: 1, comments };
  await using simulator = await startChild<SimulatorReady>(new URL('../simulator.ts', import.meta.url), setup);
  const { baseUrl, urls } = simulator.ready;
  const platform = createTikTokPlatform({ baseUrl, pacing: 'off' });
  const post = postOf(urls[0] ?? '');
  try {
    const pairs = [];
    for (let round = 0; round < rounds; round += 1) {
      await using full = await openSweep(platform, post, pagesEach);
      await using fresh = await openSweep(platform, post, pagesEach);
      for (let before = 0; before < sweeps - MEASURED; before += 1) await full.sweep();
      const pair = { subject: 0, reference: 0 };
      let isComplete = false;
      for (let measured = 0; measured < MEASURED; measured += 1) {
        const reference = await processorTimed(() => fresh.sweep());
        const subject = await processorTimed(async () => {
          isComplete = (await full.sweep()).historyComplete;
        });
        pair.reference += reference / 1_000;
        pair.subject += subject / 1_000;
      }
      if (!isComplete) throw new Error(`The post has more comments than ${sweeps} sweeps store.`);
      pairs.push(pair);
    }
    return compared(
      {
        name: `${comments.toLocaleString('en')} comments by ${sweeps} sweeps: the last three`,
        unit: SECONDS,
        reference: 'the first three',
        aim: { of: 'ratio', atMost: 1.3 },
        note: 'processor time',
      },
      pairs,
    );
  } finally {
    await platform.close();
  }
}

function postOf(url: string): PostRef {
  const contentId = url.split('/').at(-1) ?? '';
  return { platform: 'tiktok', contentType: 'post', contentId, canonicalUrl: url };
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
  await using sweeping = await openSweep(platform, post);
  const milliseconds = await timed(async () => {
    const { totalFetched, historyComplete } = await sweeping.sweep();
    if (totalFetched !== expected || !historyComplete) throw new Error(`Only ${totalFetched} comments were stored.`);
  });
  return milliseconds / 1_000;
}

interface Sweeping extends AsyncDisposable {
  sweep(): Promise<SweepResult>;
}

/** A fresh database with a campaign on the post. */
async function openSweep(platform: Platform, post: PostRef, maxPages = 500): Promise<Sweeping> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const storage = createSqliteStorage({ path: join(directory, 'credence.db') });
  await storage.open();
  const { challenge } = await storage.campaigns.create(newCampaign(), newChallenge(post));
  const sweeper = createCommentSweeper({
    campaigns: storage.campaigns,
    comments: storage.comments,
    platforms: platformsOf(platform),
    queue: createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger }),
    clock: systemClock,
    logger: silentLogger,
    limits: { maxPages },
  });
  return {
    sweep: () => sweeper.sweep(challenge.id),
    async [Symbol.asyncDispose]() {
      await sweeper.close();
      await storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

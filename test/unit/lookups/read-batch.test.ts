import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createInstagramPlatform, instagram } from '../../../adapters/instagram/index.ts';
import type { ScrapingTransport } from '../../../adapters/scraping/index.ts';
import { createTaskPool } from '../../../adapters/task-pool/index.ts';
import { createTikTokPlatform, tiktok } from '../../../adapters/tiktok/index.ts';
import { DomainError } from '../../../core/errors.ts';
import { type BatchOutcome, type ReadBatch, type ReadBatchDeps, readBatch } from '../../../core/lookups/read-batch.ts';
import { type ReadPost, readPost } from '../../../core/lookups/read-post.ts';
import { resolvePost } from '../../../core/lookups/resolve-post.ts';
import type { Platform, PlatformCallOptions, PostDetails } from '../../../core/ports/platform.ts';
import { createInstagramSite } from '../../../hosts/platform-simulator/instagram/site.ts';
import { createTikTokSite } from '../../../hosts/platform-simulator/tiktok/site.ts';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';
import { createLookupPools } from '../../../plugins/compose/lookup-pools.ts';
import { siteTransport } from '../../support/drift.ts';
import { platformsOf, REGISTRY } from '../../support/platforms.ts';
import { scriptedTransport } from '../scraping/scripted-transport.ts';

const ORIGIN = 'http://127.0.0.1:1';
const MAX_URLS = 25;
const SHORT_LINK = 'https://vm.tiktok.com/ZMabc123/';

/** 25 posts of each platform, and adapters of them at the pace that the real platforms bear. */
function bench(
  transports: { readonly instagram?: ScrapingTransport; readonly tiktok?: ScrapingTransport } = {},
  pacing: 'safe' | 'off' = 'safe',
) {
  const world = createWorld('batch');
  const urls = (platform: 'instagram' | 'tiktok', length = MAX_URLS): string[] =>
    Array.from({ length }, () => world.addPost({ platform, owner: 'maker' }).url);
  const instagramSite = siteTransport(createInstagramSite(world), ORIGIN);
  const tiktokSite = siteTransport(createTikTokSite(world), ORIGIN);
  const shared = { baseUrl: ORIGIN, pacing };
  return {
    instagramUrls: urls('instagram'),
    moreTiktokUrls: urls('tiktok'),
    moreInstagramUrls: urls('instagram', 3),
    tiktokUrls: urls('tiktok'),
    instagram: createInstagramPlatform({ ...shared, transport: transports.instagram ?? instagramSite }),
    tiktok: createTikTokPlatform({ ...shared, transport: transports.tiktok ?? tiktokSite }),
  };
}

/** Answers nothing; a request ends when it is given up. */
const hanging = () =>
  scriptedTransport(
    ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );

const poolsWith = (pacing: 'safe' | 'off') => createLookupPools([instagram({ pacing }), tiktok({ pacing })]);

function batchOf(readers: readonly Platform[], deps: Partial<ReadBatchDeps> = {}): ReadBatch {
  const platforms = platformsOf(...readers);
  const read = readPost({ platforms, resolvePost: resolvePost({ platforms }) });
  return readBatch({ readPost: read, platforms, pools: poolsWith('safe'), ...deps });
}

const poolsOf = (concurrency: number) => new Map([['instagram' as const, createTaskPool({ concurrency })]]);

const codesOf = ({ results }: BatchOutcome) => results.map((result) => (result.ok ? 'ok' : result.error.code));

/** What a batch comes to, and after how long, by a clock that runs through its 100 seconds at once. */
async function inFakeTime(batch: ReadBatch, urls: readonly string[]) {
  const began = Date.now();
  let simulatedMs = Infinity;
  const reading = batch(urls).finally(() => {
    simulatedMs = Date.now() - began;
  });
  // In steps: what waits for no timer continues in between.
  for (let passed = 0; passed < 100_000; passed += 250) await vi.advanceTimersByTimeAsync(250);
  return { outcome: await reading, simulatedMs };
}

describe('a batch at the pace that a platform bears', () => {
  // Loading takes real time, which fake timers do not let pass.
  beforeAll(async () => {
    await Promise.all([import('../../../adapters/scraping/pacing.ts'), import('tough-cookie')]);
  });
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  it.each(['tiktok', 'instagram'] as const)('reads 25 posts of %s before its deadline', async (name) => {
    const { tiktok, instagram, tiktokUrls, instagramUrls } = bench();
    const urls = name === 'tiktok' ? tiktokUrls : instagramUrls;
    const { outcome, simulatedMs } = await inFakeTime(batchOf([tiktok, instagram]), urls);
    expect(codesOf(outcome)).toEqual(Array.from({ length: MAX_URLS }, () => 'ok'));
    expect(outcome.billableUnits).toBe(MAX_URLS);
    // As long as one call may take that has no deadline, or longer.
    expect(simulatedMs).toBeGreaterThanOrEqual(30_000);
    expect(simulatedMs).toBeLessThan(100_000);
  });

  it('goes another way rather than wait for one whose pace is used up', async () => {
    const { instagram, instagramUrls, moreInstagramUrls } = bench();
    const batch = batchOf([instagram]);
    await inFakeTime(batch, instagramUrls);
    const { outcome, simulatedMs } = await inFakeTime(batch, moreInstagramUrls);
    expect(codesOf(outcome)).toEqual(['ok', 'ok', 'ok']);
    expect(simulatedMs).toBeLessThan(30_000);
  });

  it('does not wait for another platform whose pace is used up, and is told at once of a turn too late', async () => {
    const alone = bench();
    const { simulatedMs: aloneMs } = await inFakeTime(batchOf([alone.instagram]), alone.instagramUrls);
    const { tiktok, instagram, tiktokUrls, moreTiktokUrls, instagramUrls } = bench();
    const batch = batchOf([tiktok, instagram]);
    const began = Date.now();
    const first = batch(tiktokUrls);
    const second = batch(moreTiktokUrls);
    let refusedMs = Infinity;
    const third = batch(tiktokUrls.slice(0, 1)).finally(() => {
      refusedMs = Date.now() - began;
    });
    const { outcome, simulatedMs } = await inFakeTime(batch, instagramUrls);
    expect(codesOf(outcome)).toEqual(Array.from({ length: MAX_URLS }, () => 'ok'));
    expect(simulatedMs).toBeLessThan(aloneMs + 2_000);
    expect(codesOf(await first)).toEqual(Array.from({ length: MAX_URLS }, () => 'ok'));
    expect(codesOf(await third)).toEqual(['SCRAPING_RATE_LIMITED']);
    expect(refusedMs).toBeLessThan(1_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(new Set(codesOf(await second))).toEqual(new Set(['ok', 'SCRAPING_RATE_LIMITED']));
  });
});

describe('a batch whose platform hangs', () => {
  it('gives BATCH_TIMEOUT for what is unfinished at its deadline, and asks for nothing afterwards', async () => {
    const transport = hanging();
    const { instagram, instagramUrls } = bench({ instagram: transport }, 'off');
    const outcome = await batchOf([instagram], { deadlineMs: 60 })(instagramUrls);
    expect(new Set(codesOf(outcome))).toEqual(new Set(['BATCH_TIMEOUT']));
    expect(outcome.billableUnits).toBe(0);
    const { length } = transport.requests;
    expect(length).toBeGreaterThan(0);
    expect(transport.requests.every(({ signal }) => signal.aborted)).toBe(true);
    await instagram.close();
    expect(transport.requests).toHaveLength(length);
  });
});

describe('the pools of lookups', () => {
  it.each([
    ['safe', 100],
    ['off', 16],
  ] as const)('at the pace `%s` run %i of each platform', async (pacing, most) => {
    const pools = poolsWith(pacing);
    expect([...pools.keys()]).toEqual(['instagram', 'tiktok']);
    const stop = new AbortController();
    for (const pool of pools.values()) {
      let begun = 0;
      const task = () => {
        begun += 1;
        return new Promise(() => undefined);
      };
      for (let count = 0; count < most + 5; count += 1) pool.run(task, stop.signal).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      expect(begun).toBe(most);
    }
    stop.abort();
  });
});

describe('a batch', () => {
  const details = (url: string) => ({ postUrl: url, owner: { handle: 'maker' } }) as PostDetails;
  const urlOf = (id: string) => `https://www.instagram.com/p/${id}/`;

  function recorded(read: (url: string) => Promise<PostDetails>) {
    const calls: { readonly url: string; readonly options: PlatformCallOptions | undefined }[] = [];
    const recording: ReadPost = (url, options) => {
      calls.push({ url, options });
      return read(url);
    };
    return { calls, read: recording };
  }

  it('reads a post once however it is spelt, and keeps the order', async () => {
    const { calls, read } = recorded(async (url) => {
      if (url.includes('BBB')) throw new DomainError('POST_NOT_FOUND', 'gone');
      if (url.includes('CCC')) throw new TypeError('a defect');
      return details(url);
    });
    const batch = readBatch({ readPost: read, platforms: REGISTRY, pools: poolsOf(2) });
    const urls = [urlOf('AAA'), urlOf('BBB'), `${urlOf('AAA')}?utm=x`, urlOf('CCC'), 'no url', 'no url', SHORT_LINK];
    const outcome = await batch(urls);
    expect(outcome.results.map(({ url }) => url)).toEqual(urls);
    expect(codesOf(outcome)).toEqual(['ok', 'POST_NOT_FOUND', 'ok', 'INTERNAL_ERROR', 'ok', 'ok', 'ok']);
    // Where a short link leads is for its own read to say.
    expect(outcome.results.at(-1)).toMatchObject({ post: details(SHORT_LINK) });
    expect(calls).toHaveLength(5);
    // The repeated one is no further unit.
    expect(outcome.billableUnits).toBe(4);
  });
});

/** What a data provider may cost a day is counted for all processes together. */
import { expect, it } from 'vitest';
import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { refusal } from '../../contract/platform/suite.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { postRef } from '../../support/platforms.ts';
import { createTestClock } from '../../support/test-clock.ts';
import { answeringTransport } from '../scraping/scripted-transport.ts';

const EVENING = new Date('2026-06-01T22:00:00Z');
const post = postRef('instagram', 'DAAAAAAAAAA');
const closing = closingAfterEach();

/** Processes that share a storage and an account; `requests` counts what the provider was asked. */
async function processes(dailyCredits: number, answer: { readonly status: number; readonly body: object }) {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  closing.push(() => storage.close());
  const clock = createTestClock(EVENING);
  const transport = answeringTransport(() => answer);
  const open = (platform: 'instagram' | 'tiktok' = 'instagram'): Platform => {
    const { usage } = storage;
    const reader = createDataProviderPlatform({
      ...{ platform, key: 'k', pacing: 'off', transport, clock, dailyCredits, usage },
    });
    closing.push(() => reader.close());
    return reader;
  };
  return { open, clock, requests: () => transport.requests.length };
}

const GONE = { status: 404, body: { message: 'Post not found' } };

it.each([
  ['one', 1, 5],
  // Each may be about to ask when the last credit goes.
  ['four', 4, 8],
])('asks no more often than the day allows: %s of them, all at once', async (_name, count, most) => {
  const { open, requests } = await processes(5, GONE);
  const readers = Array.from({ length: count }, () => open());
  const asked = Array.from({ length: 20 }, (_, index) => refusal((readers[index % count] as Platform).getPost(post)));
  const refused = (await Promise.all(asked)).filter(({ code }) => code === 'SCRAPING_RATE_LIMITED');
  expect(requests()).toBeGreaterThanOrEqual(5);
  expect(requests()).toBeLessThanOrEqual(most);
  expect(refused).toHaveLength(20 - requests());
});

it('is one account for all platforms', async () => {
  const { open, requests } = await processes(1, GONE);
  await refusal(open('tiktok').getPost(postRef('tiktok', '7123456789012345678')));
  expect((await refusal(open('instagram').getPost(post))).details?.reason).toBe('provider-budget');
  expect(requests()).toBe(1);
});

it('says why and until when, and asks again after midnight UTC', async () => {
  const { open, clock, requests } = await processes(1, GONE);
  const reader = open();
  expect((await refusal(reader.getPost(post))).code).toBe('POST_NOT_FOUND');
  const spent = await refusal(reader.getComments(post, null));
  expect(spent).toMatchObject({
    code: 'SCRAPING_RATE_LIMITED',
    message: 'The day’s credits with the data provider are spent; it is asked again after midnight UTC.',
    details: { reason: 'provider-budget', platform: 'instagram' },
    retryAfterSeconds: 7_200,
  });
  expect(reader.credits?.()).toEqual({ left: null, daily: { limit: 1, spent: 1 } });
  // Another process of the same account, or this one started again.
  expect((await refusal(open().getPost(post))).details?.reason).toBe('provider-budget');
  expect(requests()).toBe(1);
  clock.pass(7_200_000);
  expect(reader.credits?.()?.daily?.spent).toBe(0);
  expect((await refusal(reader.getPost(post))).code).toBe('POST_NOT_FOUND');
  expect(requests()).toBe(2);
});

it('counts what is asked again after trouble', async () => {
  const { open, requests } = await processes(2, { status: 500, body: {} });
  expect((await refusal(open().getPost(post))).details?.reason).toBe('provider-budget');
  expect(requests()).toBe(2);
});

it('takes no limit without a store to count in', () => {
  const open = () => createDataProviderPlatform({ platform: 'instagram', key: 'k', dailyCredits: 5 });
  expect(open).toThrow('store to count');
});

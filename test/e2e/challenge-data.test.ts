/** Comments, metrics and likers of a challenge, read from the simulated platforms through the real adapters. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { actingOn } from '../support/campaign.ts';
import type { JsonValue } from '../support/client.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';

type World = TestInstance['world'];
type PostInput = Parameters<World['addPost']>[0];

let instance: TestInstance;

beforeEach(async () => {
  instance = await startInstance();
});
afterEach(() => instance.close());

async function challengeOn(input: PostInput) {
  const post = instance.world.addPost(input);
  const { platform, contentId } = post;
  return { post, path: (await actingOn(instance.api).campaign({ platform, contentId })).challenge };
}

const refresh = async (path: string) => (await instance.api.call('POST', `${path}/comments/refresh`)).json;
const total = async (path: string) =>
  Number((await instance.api.call('GET', `${path}/comments?limit=1`)).json.pagination?.total);

describe('comments', () => {
  it('of Instagram are stored with their threads, read back by page, and counted once', async () => {
    const { post, path } = await challengeOn({
      platform: 'instagram',
      owner: 'northtrail',
      comments: 150,
      replies: { every: 10, count: 30 },
      placed: [{ handle: 'ada.runs', text: 'me too', index: 77, asReply: true }],
    });
    expect(await total(path)).toBe(0);
    const swept = { sweepStatus: 'swept', historyComplete: true, warning: null };
    const all = () => ({ ...swept, totalFetched: post.thread.total, expectedTotal: post.thread.total });
    expect(await refresh(path)).toEqual({ data: all() });
    expect(await total(path)).toBe(post.thread.total);
    const found: string[] = [];
    for (let page = 1; page <= 7; page += 1) {
      const { json } = await instance.api.call('GET', `${path}/comments?page=${page}&limit=100`);
      for (const { username } of json.data as unknown as { username: string }[]) found.push(username);
    }
    expect(found).toHaveLength(post.thread.total);
    expect(found).toContain('ada.runs');
    post.thread.add({ handle: 'ben', text: 'late' });
    expect(await refresh(path)).toEqual({ data: all() });
    expect(await total(path)).toBe(post.thread.total);
  });

  it('are partial when the platform fails halfway; the next refresh completes them', async () => {
    const { post, path } = await challengeOn({ platform: 'tiktok', owner: 'northtrail', comments: 200 });
    const rule = { platform: 'tiktok', endpoint: 'comments', shape: 'server-error', after: 3 } as const;
    instance.world.failures.add(rule);
    expect((await refresh(path)).data).toMatchObject({ sweepStatus: 'partial', historyComplete: false });
    instance.world.failures.clear();
    expect((await refresh(path)).data).toEqual({
      totalFetched: post.thread.size,
      sweepStatus: 'swept',
      historyComplete: true,
      expectedTotal: post.thread.total,
      warning: null,
    });
    expect(await total(path)).toBe(post.thread.size);
  });
});

it('metrics that the platform does not show are 0, views null', async () => {
  const { path } = await challengeOn({
    platform: 'instagram',
    owner: 'northtrail',
    counts: { likes: 80, comments: 7 },
  });
  const refreshed = await instance.api.call('POST', `${path}/metrics/refresh`);
  const { thumbnailUrl: _only, ...snapshot } = refreshed.json.data as JsonValue;
  expect(snapshot).toMatchObject({ likeCount: 80, commentCount: 7, shareCount: 0, viewCount: null });
  expect((await instance.api.call('GET', `${path}/metrics`)).json).toEqual({ data: snapshot });
});

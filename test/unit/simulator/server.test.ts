import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createScenario } from '../../../hosts/platform-simulator/scenario.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';

let simulator: PlatformSimulator;

beforeAll(async () => {
  simulator = await createPlatformSimulator({ world: createScenario({ instagramComments: 200 }).world });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.world.failures.clear());

function control(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${simulator.tiktokBaseUrl}/__simulator/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe('the control API', () => {
  it('adds a post and shows it', async () => {
    const added = await control('POST', 'posts', {
      platform: 'tiktok',
      owner: 'eve',
      contentId: '7000000000000000001',
    });
    expect(added.status).toBe(201);
    expect(await added.json()).toMatchObject({ contentId: '7000000000000000001', owner: 'eve', comments: 0 });
    const page = await fetch(`${simulator.tiktokBaseUrl}/@eve/video/7000000000000000001`);
    expect(await page.text()).toContain('"uniqueId":"eve"');
  });

  it('adds comments, one of them as a reply', async () => {
    const at = { platform: 'tiktok', contentId: '7000000000000000002' };
    await control('POST', 'posts', { ...at, owner: 'eve' });
    const first = await control('POST', 'comments', { ...at, handle: 'zoe', text: 'hi' });
    const second = await control('POST', 'comments', { ...at, handle: 'kim', text: 'ho', replyToIndex: 0 });
    expect([first.status, second.status]).toEqual([201, 201]);
    const state = (await (await control('GET', 'state')).json()) as { posts: { contentId: string }[] };
    expect(state.posts.find((post) => post.contentId === at.contentId)).toMatchObject({
      comments: 1,
      commentsAndReplies: 2,
    });
  });

  it('changes a bio, and says when there is no such profile', async () => {
    await control('POST', 'profiles', { platform: 'tiktok', handle: 'flo', bio: 'before' });
    expect((await control('POST', 'bio', { platform: 'tiktok', handle: 'flo', bio: 'after 42' })).status).toBe(200);
    expect(await (await fetch(`${simulator.tiktokBaseUrl}/@flo`)).text()).toContain('after 42');
    expect((await control('POST', 'bio', { platform: 'tiktok', handle: 'nobody', bio: '' })).status).toBe(404);
  });

  it('switches failures on and off', async () => {
    const { id } = (await (
      await control('POST', 'failures', { platform: 'tiktok', shape: 'rate-limited', retryAfterSeconds: 7 })
    ).json()) as { id: number };
    const refused = await fetch(`${simulator.tiktokBaseUrl}/@flo`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await control('DELETE', `failures?id=${id}`)).status).toBe(200);
    expect((await control('DELETE', `failures?id=${id}`)).status).toBe(404);
    expect((await fetch(`${simulator.tiktokBaseUrl}/@flo`)).status).toBe(200);
  });

  it('keeps sessions and short links', async () => {
    expect((await control('POST', 'sessions', { id: 's1', state: 'dead' })).status).toBe(201);
    expect(simulator.world.sessions.get('s1')).toBe('dead');
    await control('POST', 'short-links', { platform: 'tiktok', path: '/t/ZTabcde', target: '/@eve/video/1' });
    expect(simulator.world.findShortLink('tiktok', '/t/ZTabcde')).toBe('/@eve/video/1');
  });

  it('counts requests by endpoint', async () => {
    await control('DELETE', 'requests');
    await fetch(`${simulator.tiktokBaseUrl}/@flo`);
    expect(await (await control('GET', 'requests')).json()).toEqual({ 'tiktok profile-page': 1 });
  });

  it.each([
    ['an unknown field', 'POST', 'posts', { platform: 'tiktok', owner: 'eve', colour: 'red' }],
    ['an unknown shape', 'POST', 'failures', { platform: 'tiktok', shape: 'explode' }],
    [
      'a reply to nothing',
      'POST',
      'comments',
      { platform: 'tiktok', contentId: '7000000000000000001', handle: 'a', text: '', replyToIndex: 9 },
    ],
  ])('refuses %s', async (_name, method, path, body) => {
    const response = await control(method, path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('error');
  });

  it('answers 404 to routes it does not have', async () => {
    expect((await control('GET', 'nonsense')).status).toBe(404);
  });
});

describe('the server', () => {
  it('refuses a body that is too large', async () => {
    const response = await fetch(`${simulator.tiktokBaseUrl}/__simulator/posts`, {
      method: 'POST',
      body: 'x'.repeat(1024 * 1024 + 1),
    });
    expect(response.status).toBe(413);
  });

  it('says so when its port is taken, and leaves nothing listening', async () => {
    const port = Number(new URL(simulator.tiktokBaseUrl).port);
    await expect(createPlatformSimulator({ port: port - 1 })).rejects.toThrow(/EADDRINUSE/);
  });

  it('closes while a request hangs, and may be closed twice', async () => {
    const other = await createPlatformSimulator();
    other.world.failures.add({ platform: 'tiktok', shape: 'hang' });
    const hanging = fetch(`${other.tiktokBaseUrl}/@x`).catch((error: unknown) => error);
    await expect.poll(() => other.world.requestCounts()).toEqual({ 'tiktok profile-page': 1 });
    await other.close();
    await other.close();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

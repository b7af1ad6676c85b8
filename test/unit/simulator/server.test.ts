import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createScenario } from '../../../hosts/platform-simulator/scenario.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';

const simulator = await createPlatformSimulator({ world: createScenario({ instagramComments: 200 }).world });
afterAll(() => simulator.close());
beforeEach(() => simulator.world.failures.clear());

function control(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${simulator.tiktokBaseUrl}/__simulator/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe('the control API', () => {
  it('adds comments, one of them as a reply', async () => {
    const at = { platform: 'tiktok', contentId: '7000000000000000002' };
    const { thread } = simulator.world.addPost({ platform: 'tiktok', owner: 'eve', contentId: at.contentId });
    const first = await control('POST', 'comments', { ...at, handle: 'zoe', text: 'hi' });
    const second = await control('POST', 'comments', { ...at, handle: 'kim', text: 'ho', replyToIndex: 0 });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect([thread.size, thread.total]).toEqual([1, 2]);
    expect((await control('POST', 'comments', { ...at, handle: 'a', text: '', replyToIndex: 9 })).status).toBe(400);
  });

  it('changes a bio, and says when there is no such profile', async () => {
    simulator.world.addProfile({ platform: 'tiktok', handle: 'flo', bio: 'before' });
    expect((await control('POST', 'bio', { platform: 'tiktok', handle: 'flo', bio: 'after 42' })).status).toBe(200);
    expect(await (await fetch(`${simulator.tiktokBaseUrl}/@flo`)).text()).toContain('after 42');
    expect((await control('POST', 'bio', { platform: 'tiktok', handle: 'nobody', bio: '' })).status).toBe(404);
  });

  it('switches failures on and off', async () => {
    await control('POST', 'failures', { platform: 'tiktok', shape: 'rate-limited', retryAfterSeconds: 7 });
    const refused = await fetch(`${simulator.tiktokBaseUrl}/@flo`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await control('DELETE', 'failures')).status).toBe(200);
    expect((await fetch(`${simulator.tiktokBaseUrl}/@flo`)).status).toBe(200);
  });

  it.each([
    ['an unknown field', 'bio', { platform: 'tiktok', handle: 'flo', bio: '', colour: 'red' }],
    ['an unknown shape', 'failures', { platform: 'tiktok', shape: 'explode' }],
  ])('refuses %s', async (_name, path, body) => {
    const response = await control('POST', path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('error');
  });

  it('answers 404 to routes it does not have', async () => {
    expect((await control('GET', 'nonsense')).status).toBe(404);
  });
});

describe('the server', () => {
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

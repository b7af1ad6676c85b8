/** What an operator sets to be shown what browsers are: a transport, a user agent, a signer, sessions. */
import { describe, expect, it } from 'vitest';
import type { ScrapingTransport, TransportRequest } from '../../adapters/scraping/index.ts';
import { createInstagramSite } from '../../hosts/platform-simulator/instagram/site.ts';
import { createTikTokSite } from '../../hosts/platform-simulator/tiktok/site.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import type { CredenceConfig } from '../../plugins/compose/index.ts';
import { closingAfterEach } from '../support/closing.ts';
import { siteTransport } from '../support/drift.ts';
import { startInstance } from '../support/instance.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';

const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/160.0.0.0 Safari/537.36';
const ORIGINS = { instagram: 'https://www.instagram.com', tiktok: 'https://www.tiktok.com' } as const;

const closing = closingAfterEach();

async function started(platforms: CredenceConfig['platforms']) {
  const world = createWorld('own transport');
  const sites: Readonly<Record<string, ScrapingTransport>> = {
    'www.instagram.com': siteTransport(createInstagramSite(world), ORIGINS.instagram),
    'www.tiktok.com': siteTransport(createTikTokSite(world), ORIGINS.tiktok),
  };
  const sent: TransportRequest[] = [];
  const transport = async (request: TransportRequest) => {
    sent.push(request);
    const site = sites[new URL(request.url).host];
    if (site === undefined) throw new Error(`not a platform: ${request.url}`);
    return await site.send(request);
  };
  const logger = createRecordingLogger();
  const config = { platforms: { pacing: 'off' as const, transport, ...platforms } };
  const { api, close } = await startInstance({ world, config, options: { logger } });
  closing.push(close);
  const read = (path: string, url: string) => api.call('GET', `${path}?url=${encodeURIComponent(url)}`);
  const instagramUrl = `${ORIGINS.instagram}/p/${world.addPost({ platform: 'instagram', owner: 'mia', comments: 3 }).contentId}/`;
  const tiktokUrl = `${ORIGINS.tiktok}/@mia/video/${world.addPost({ platform: 'tiktok', owner: 'mia', comments: 3 }).contentId}`;
  return { world, api, read, sent, logger, instagramUrl, tiktokUrl };
}

describe('the configured transport', () => {
  it('sends every request to the platforms, as the configured browser, through the configured proxy', async () => {
    const proxyUrl = 'http://user-{session}:pw@proxy.example:8080';
    const { read, sent, instagramUrl, tiktokUrl } = await started({ userAgent: USER_AGENT, proxyUrl });
    expect((await read('/v1/stats', instagramUrl)).status).toBe(200);
    expect((await read('/v1/comments', tiktokUrl)).status).toBe(200);
    expect(new Set(sent.map(({ url }) => new URL(url).origin))).toEqual(new Set(Object.values(ORIGINS)));
    for (const { headers, proxyUrl: proxy, connectionKey, maxBodyBytes } of sent) {
      expect(headers).toMatchObject({ 'user-agent': USER_AGENT, 'sec-ch-ua-platform': '"Linux"' });
      expect(headers['sec-ch-ua']).toContain('"Chromium";v="160"');
      expect(proxy).toBe(`http://user-${connectionKey}:pw@proxy.example:8080`);
      expect(maxBodyBytes).toBeGreaterThan(1_000_000);
    }
  });
});

it('the configured signer signs TikTok’s API requests, and is told the user agent', async () => {
  const asked: unknown[] = [];
  const sign = async (url: string, context: { readonly userAgent: string; readonly signal: AbortSignal }) => {
    asked.push([new URL(url).pathname, context.userAgent, context.signal.aborted]);
    return `${url}&X-Bogus=signed`;
  };
  const { read, sent, tiktokUrl } = await started({ userAgent: USER_AGENT, tiktok: { sign } });
  expect((await read('/v1/comments', tiktokUrl)).status).toBe(200);
  expect(asked).toEqual([['/api/comment/list/', USER_AGENT, false]]);
  expect(sent.filter(({ url }) => url.endsWith('X-Bogus=signed'))).toHaveLength(1);
});

it('a session that is over, and an endpoint that sends one away, are named by /readyz, metrics and the log', async () => {
  const sessionIds = ['11%3Asecret', '22%3Asecret'];
  const { world, api, read, logger, instagramUrl } = await started({ instagram: { sessionIds } });
  world.sessions.set('22%3Asecret', 'live');
  const before = await api.call('GET', '/readyz');
  expect(before.json).toEqual({ ready: true, checks: { lifecycle: 'ok', storage: 'ok', 'instagram-sessions': 'ok' } });
  const away = { platform: 'instagram', session: '11%3Asecret', shape: 'front-page-redirect' } as const;
  world.failures.add({ ...away, endpoint: 'media-comments' });
  expect((await read('/v1/comments', instagramUrl)).status).toBe(200);
  const between = await api.call('GET', '/readyz');
  expect(between.json).toMatchObject({ ready: true, checks: { 'instagram-sessions': 'comments sends 1 of 2 away' } });
  const figures = (await api.call('GET', '/metrics')).text;
  expect(figures).toContain('credence_platform_session_up{platform="instagram",session="session-1"} 1');
  expect(figures).toContain(
    'credence_platform_session_sent_away{platform="instagram",session="session-1",endpoint="comments"} 1',
  );
  world.failures.add({ ...away, shape: 'login-redirect' });
  world.failures.add({ platform: 'instagram', endpoint: 'post-page', shape: 'throttled' });
  expect((await read('/v1/stats', instagramUrl)).status).toBe(200);
  const after = await api.call('GET', '/readyz');
  expect(after.status).toBe(200);
  expect(after.json).toMatchObject({
    ready: true,
    checks: { 'instagram-sessions': '1 of 2 retired: session-1 dead; comments sends 1 of 2 away' },
  });
  expect(logger.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      fields: expect.objectContaining({ session: 'session-1', state: 'dead', endpoint: 'media-info' }),
    }),
  );
  expect(after.text + logger.text()).not.toContain('secret');
});

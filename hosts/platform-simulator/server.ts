/** The simulated platforms and a data provider on loopback: one port each, real HTTP, the control API on all. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROL_PREFIX, handleControl } from './control.ts';
import { createHikerApiSite, HIKERAPI_PATH } from './data-provider/hikerapi.ts';
import { createDataProviderSite } from './data-provider/site.ts';
import { createInstagramSite } from './instagram/site.ts';
import type { SiteAnswer, SiteRequest } from './messages.ts';
import { createGraphSite, GRAPH_PATH } from './official/instagram.ts';
import { startPushing } from './official/push.ts';
import { BUSINESS_PATH, createBusinessSite } from './official/tiktok.ts';
import type { PlatformSite } from './site.ts';
import { createTikTokSite } from './tiktok/site.ts';
import { createWorld, type World } from './world.ts';
import { createYouTubeSite } from './youtube/site.ts';

/** What `createPlatformSimulator` takes. */
export interface PlatformSimulatorOptions {
  /** Instagram's port; TikTok, the data provider and YouTube get the next ones. 0, the default: any free ones. */
  readonly port?: number;
  /** An empty world with the seed `credence` by default. */
  readonly world?: World;
}

/** Running simulated platforms, and where they are. */
export interface PlatformSimulator {
  /**
   * All without a trailing slash, fit for `INSTAGRAM_BASE_URL`, `TIKTOK_BASE_URL` and `platforms.dataProvider.baseUrl`. The first two
   * serve the official APIs too, to `SIMULATED_APP`.
   */
  readonly instagramBaseUrl: string;
  readonly tiktokBaseUrl: string;
  /** ScrapeCreators and HikerAPI, with the key `SIMULATED_PROVIDER_KEY`. */
  readonly dataProviderBaseUrl: string;
  /** For `youtube({ apiKey: SIMULATED_YOUTUBE_KEY, baseUrl })`. */
  readonly youtubeBaseUrl: string;
  readonly world: World;
  /** Cuts every connection, those left hanging by a failure too. May be called twice. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const ENDLESS_CHUNK = Buffer.alloc(64 * 1024, ' ');

/**
 * Starts all simulated platforms on loopback and resolves when they listen.
 * @example
 * ```ts
 * import { createCredence } from 'credence';
 * import { createPlatformSimulator, createScenario } from '@credence/simulator';
 *
 * const { world, instagramSessionId } = createScenario();
 * const { instagramBaseUrl, tiktokBaseUrl } = await createPlatformSimulator({ world });
 * export const credence = createCredence({
 *   platforms: {
 *     pacing: 'off',
 *     instagram: { baseUrl: instagramBaseUrl, sessionIds: [instagramSessionId] },
 *     tiktok: { baseUrl: tiktokBaseUrl },
 *   },
 * });
 * ```
 * @throws the error of Node.js (`EADDRINUSE`) if a port is in use
 */
export async function createPlatformSimulator(options: PlatformSimulatorOptions = {}): Promise<PlatformSimulator> {
  const world = options.world ?? createWorld('credence');
  const port = options.port ?? 0;
  const endPushing = startPushing(world);
  const instagram = createSiteServer(beside(GRAPH_PATH, createGraphSite(world), createInstagramSite(world)), world);
  const tiktok = createSiteServer(beside(BUSINESS_PATH, createBusinessSite(world), createTikTokSite(world)), world);
  const providers = beside(HIKERAPI_PATH, createHikerApiSite(world), createDataProviderSite(world));
  const dataProvider = createSiteServer(providers, world);
  const youtube = createSiteServer(createYouTubeSite(world), world);
  const close = async (): Promise<void> => {
    endPushing();
    await Promise.all([instagram, tiktok, dataProvider, youtube].map(stop));
  };
  try {
    const instagramBaseUrl = await listen(instagram, port);
    const tiktokBaseUrl = await listen(tiktok, port === 0 ? 0 : port + 1);
    const dataProviderBaseUrl = await listen(dataProvider, port === 0 ? 0 : port + 2);
    const youtubeBaseUrl = await listen(youtube, port === 0 ? 0 : port + 3);
    return { instagramBaseUrl, tiktokBaseUrl, dataProviderBaseUrl, youtubeBaseUrl, world, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Another API under one address. */
function beside(path: RegExp, api: PlatformSite, pages: PlatformSite): PlatformSite {
  return (request) => (path.test(request.url.pathname) ? api : pages)(request);
}

function createSiteServer(site: PlatformSite, world: World): Server {
  return createServer((request, response) => {
    respond(request, response, site, world).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`The simulator failed: ${error instanceof Error ? error.message : String(error)}`);
    });
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  site: PlatformSite,
  world: World,
): Promise<void> {
  const { method = 'GET', url = '/', headers, socket } = request;
  const siteRequest: SiteRequest = {
    method,
    url: new URL(`http://${HOST}:${socket.localPort}${url}`),
    headers: headers as SiteRequest['headers'],
    body: await text(request),
  };
  const isControl = siteRequest.url.pathname.startsWith(CONTROL_PREFIX);
  await deliver(isControl ? await handleControl(world, siteRequest) : site(siteRequest), request, response);
}

async function deliver(answer: SiteAnswer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (answer.latencyMs) await sleep(answer.latencyMs, undefined, { ref: false });
  if (response.destroyed) return;
  const headers = answer.headers as Record<string, string | string[]>;
  switch (answer.delivery) {
    case 'hang':
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'endless':
      Readable.from(endless()).pipe(response.writeHead(answer.status, headers));
      return;
    default:
      response.writeHead(answer.status, headers).end(request.method === 'HEAD' ? undefined : (answer.body ?? ''));
  }
}

/** As fast as the reader takes it, until the reader hangs up. */
function* endless() {
  for (;;) yield ENDLESS_CHUNK;
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return `http://${HOST}:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

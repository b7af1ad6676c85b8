/** Small answers that unfold into large ones, and answers without end: from platforms, receivers and servers that are proven. */

import { createServer, type RequestListener, type ServerResponse, request as sendOn } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createInstagramPlatform } from '../../adapters/instagram/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { createWebhookTransport } from '../../adapters/webhook-http/index.ts';
import { isDomainError } from '../../core/errors.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { closingAfterEach } from '../support/closing.ts';
import { listen } from '../support/listen.ts';
import { PLATFORM_NAMES, postRef, type SpecifiedPlatform } from '../support/platforms.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, startOrigin } from '../support/tls-origin.ts';
import { highestMemory } from './support.ts';

const MIB = 1024 * 1024;
const LARGE = Buffer.alloc(64 * MIB, ' ');
/** 64 MiB of blanks in some 64 KiB; and that once more. */
const GZIP = gzipSync(LARGE, { strategy: constants.Z_RLE });
// As short as by the default quality, in a twentieth of the time.
const BROTLI = brotliCompressSync(LARGE, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
/** What the process may hold beyond what it held before: far less than any of these bodies unfolds to. */
const ALLOWANCE = 48 * MIB;

const SESSION = '1%3Ax';
const POSTS = { instagram: 'C0ffee', tiktok: '7300000000000000001' } as const;

const closing = closingAfterEach();

async function platformsAnswering(answer: (response: ServerResponse) => void): Promise<Platform[]> {
  const baseUrl = await serve((request, response) => {
    request.resume();
    answer(response);
  });
  return platformsAt({ instagram: baseUrl, tiktok: baseUrl });
}

/** Serves on loopback until the test is over. */
async function serve(onRequest: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    onRequest(request, response);
  });
  const { url, close } = await listen(server);
  closing.push(close);
  return url;
}

function platformsAt(baseUrls: Readonly<Record<'instagram' | 'tiktok', string>>): Platform[] {
  const shared = { pacing: 'off', maxBodyBytes: 2 * MIB } as const;
  const platforms: Platform[] = [
    createInstagramPlatform({ ...shared, baseUrl: baseUrls.instagram, sessionIds: [SESSION] }),
    createTikTokPlatform({ ...shared, baseUrl: baseUrls.tiktok }),
  ];
  closing.push(() => Promise.all(platforms.map((platform) => platform.close())));
  return platforms;
}

/** Everything that is read of a post: its page, and its comments. */
function readsOf(platform: Platform): readonly (() => Promise<unknown>)[] {
  const options = { deadline: new Date(Date.now() + 30_000) };
  const post = postRef(platform.name, POSTS[platform.name as SpecifiedPlatform], 'mia');
  return [() => platform.getPost(post, options), () => platform.getComments(post, null, options)];
}

const isUnavailable = (error: unknown): boolean => isDomainError(error, 'PLATFORM_UNAVAILABLE');

describe('a platform that answers with', () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    gzip: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(GZIP),
    brotli: (response) => response.writeHead(200, { 'content-encoding': 'br' }).end(BROTLI),
    'gzip in gzip': (response) => response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(GZIP)),
    'a body without end': (response) => {
      response.writeHead(200);
      const piece = LARGE.subarray(0, MIB / 4);
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) {
          // The socket's own limit ends this.
        }
      };
      response.on('drain', more);
      more();
    },
  };

  it.each(Object.entries(answers))('%s is unreadable, in bounded memory', async (_name, answer) => {
    const platforms = await platformsAnswering(answer);
    const highest = await highestMemory(async () => {
      for (const read of platforms.flatMap(readsOf)) await expect(read()).rejects.toSatisfy(isUnavailable);
    });
    expect(highest).toBeLessThan(ALLOWANCE);
  });
});

describe('a platform whose good answers come with', () => {
  /** The simulated platforms behind a server that adds header lines to whatever they answer. */
  async function platformsAdding(lines: readonly (readonly [string, string])[]) {
    const world = createWorld('bombs');
    world.sessions.set(SESSION, 'live');
    for (const platform of PLATFORM_NAMES) {
      world.addPost({ platform, contentId: POSTS[platform], owner: 'mia', comments: 3 });
    }
    const simulator = await createPlatformSimulator({ world });
    closing.push(() => simulator.close());
    const cookies: string[] = [];
    const inFrontOf = (target: string) =>
      serve((request, response) => {
        cookies.push(request.headers.cookie ?? '');
        const { method, url = '/', headers } = request;
        const onwards = sendOn(`${target}${url}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, [...answer.rawHeaders, ...lines.flat()]);
          answer.pipe(response);
        });
        request.pipe(onwards);
      });
    const platforms = platformsAt({
      instagram: await inFrontOf(simulator.instagramBaseUrl),
      tiktok: await inFrontOf(simulator.tiktokBaseUrl),
    });
    return { platforms, cookies };
  }

  const readAll = async (platforms: readonly Platform[]) => {
    for (const read of platforms.flatMap(readsOf)) await expect(read()).resolves.toBeDefined();
  };

  it('nothing else is read', async () => {
    await readAll((await platformsAdding([])).platforms);
  });

  it('a flood of headers is unreadable, in bounded memory', async () => {
    const flood = Array.from({ length: 1_000 }, (_, index) => [`x-${index}`, 'a'.repeat(100)] as const);
    const { platforms } = await platformsAdding(flood);
    const highest = await highestMemory(async () => {
      for (const read of platforms.flatMap(readsOf)) await expect(read()).rejects.toSatisfy(isUnavailable);
    });
    expect(highest).toBeLessThan(ALLOWANCE);
  });

  it('a flood of cookies is read, and few of them are sent back', async () => {
    const flood = Array.from(
      { length: 500 },
      (_, index) => ['set-cookie', `c${index}=${'a'.repeat(60)}; Path=/`] as const,
    );
    const { platforms, cookies } = await platformsAdding(flood);
    await readAll(platforms);
    const sentBack = cookies.map((line) => line.match(/\bc\d+=/g)?.length ?? 0);
    expect(Math.max(...sentBack)).toBeGreaterThan(0);
    expect(Math.max(...sentBack)).toBeLessThanOrEqual(50);
  });
});

describe('a webhook receiver that answers with', () => {
  /** A server below HTTP; the client's bytes are not looked at. */
  async function receiver(answer: (socket: Socket) => void): Promise<string> {
    const server = createTcpServer((socket) => {
      closing.push(async () => socket.destroy());
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    const { url, close } = await listen(server);
    closing.push(close);
    return `${url}/`;
  }

  it.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'],
    ['a reason phrase', 'HTTP/1.1 200 ', 'fine '],
    ['a chunk extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'extended'],
  ])('a flood of %s is kept nowhere, and ends at the deadline', async (_what, start, piece) => {
    const flood = Buffer.from(piece.repeat(8_192));
    let sent = 0;
    const url = await receiver((socket) => {
      const more = (): void => {
        while (sent < LARGE.length && !socket.destroyed) {
          sent += flood.length;
          if (!socket.write(flood)) return;
        }
      };
      socket.write(start);
      socket.on('drain', more);
      more();
    });
    const transport = createWebhookTransport({ egress: createEgressGuard({ allow: ['127.0.0.0/8'] }) });
    closing.push(() => transport.close());
    const send = (url: string) => transport.send({ url, headers: {}, body: '{}', deadlineMs: 300 });
    // The HTTP client is loaded by the first delivery.
    await send(await receiver((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')));
    const work = async () => expect(await send(url)).toMatchObject({ kind: 'failed', reason: 'timeout' });
    expect(await highestMemory(work, { withGarbage: false })).toBeLessThan(24 * MIB);
    expect(sent).toBeGreaterThan(0);
  });
});

describe('a server that is proven and answers with', () => {
  const authority = createAuthority();
  const http = (headers: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
  const twice = gzipSync(GZIP);

  it.each([
    ['gzip', http('Content-Encoding: gzip', GZIP)],
    ['brotli', http('Content-Encoding: br', BROTLI)],
    ['many codings', http('Content-Encoding: gzip, gzip, gzip, gzip, gzip', twice)],
  ])('%s gives no proof that could be verified, in bounded memory', async (_name, answer) => {
    expect(answer.length).toBeLessThan(92_160);
    const setup = setUpProving(authority);
    closing.push(() => setup.notary.close());
    await using origin = await startOrigin(authority, { answer });
    const highest = await highestMemory(async () => {
      const body = { url: origin.url(), headers: ['accept-encoding: gzip'] };
      await expect(setup.proveAndVerify(body)).rejects.toSatisfy((error) => isDomainError(error));
      const hiding = { ...body, redaction: [{ response: { json_body: ['a'] } }] };
      await expect(setup.prove(hiding)).rejects.toSatisfy((error) => isDomainError(error));
    });
    expect(highest).toBeLessThan(ALLOWANCE);
  });

  it.each([
    ['a flood of headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}Content-Length: 0\r\n\r\n`],
    ['a header without end', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(200_000)}`],
    ['interim answers without end', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000)],
    ['chunks of one byte', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}`],
    ['a chunk of all the world', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\na'],
    ['an absurd length', 'HTTP/1.1 200 OK\r\nContent-Length: 999999999999999\r\n\r\na'],
  ])('%s is refused', async (_name, answer) => {
    const setup = setUpProving(authority);
    closing.push(() => setup.notary.close());
    await using origin = await startOrigin(authority, { answer });
    await expect(setup.prove({ url: origin.url() })).rejects.toSatisfy((error) =>
      isDomainError(error, 'INTERNAL_SERVER_ERROR'),
    );
  });
});

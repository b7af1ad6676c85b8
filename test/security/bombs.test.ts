/** Small answers that unfold into large ones, and answers without end: from platforms and from servers that are proven. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createInstagramPlatform } from '../../adapters/instagram/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { isDomainError } from '../../core/errors.ts';
import { type PostRef, postRef } from '../../core/lookups/post-url.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { setUpProving } from '../support/proving.ts';
import { createAuthority, startOrigin } from '../support/tls-origin.ts';
import { highestMemory } from './support.ts';

const MIB = 1024 * 1024;
const LARGE = Buffer.alloc(64 * MIB, ' ');
/** 64 MiB of blanks in some 64 KiB; and that once more. */
const GZIP = gzipSync(LARGE);
const BROTLI = brotliCompressSync(LARGE);
const DEFLATE = deflateSync(LARGE);
/** What the process may hold beyond what it held before: far less than any of these bodies unfolds to. */
const ALLOWANCE = 48 * MIB;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function platformsAnswering(answer: (response: ServerResponse) => void): Promise<Platform[]> {
  const server = createServer((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shared = { baseUrl, pacing: 'off', maxBodyBytes: 2 * MIB } as const;
  const platforms: Platform[] = [
    createInstagramPlatform({ ...shared, sessionIds: ['1%3Ax'] }),
    createTikTokPlatform(shared),
  ];
  closing.push(async () => {
    await Promise.all(platforms.map((platform) => platform.close()));
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return platforms;
}

describe('a platform that answers with', () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    gzip: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(GZIP),
    brotli: (response) => response.writeHead(200, { 'content-encoding': 'br' }).end(BROTLI),
    deflate: (response) => response.writeHead(200, { 'content-encoding': 'deflate' }).end(DEFLATE),
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
    'a flood of headers': (response) => {
      for (let index = 0; index < 1_000; index += 1) response.appendHeader(`x-${index}`, 'a'.repeat(100));
      response.writeHead(200).end('{}');
    },
    'a flood of cookies': (response) => {
      const cookies = Array.from({ length: 500 }, (_, index) => `c${index}=${'a'.repeat(60)}; Path=/`);
      response.writeHead(200, { 'set-cookie': cookies }).end('{}');
    },
  };

  it.each(Object.entries(answers))('%s is unreadable, in bounded memory', async (_name, answer) => {
    const platforms = await platformsAnswering(answer);
    const highest = await highestMemory(async () => {
      for (const platform of platforms) {
        const id = platform.name === 'instagram' ? 'C0ffee' : '7300000000000000001';
        const options = { deadline: new Date(Date.now() + 8_000) };
        const post = postRef(platform.name, id, 'mia');
        for (const read of [platform.getPost, (ref: PostRef) => platform.getComments(ref, null, options)]) {
          await expect(read(post, options)).rejects.toSatisfy((error) => isDomainError(error, 'PLATFORM_UNAVAILABLE'));
        }
      }
    });
    expect(highest).toBeLessThan(ALLOWANCE);
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
    ['deflate', http('Content-Encoding: deflate', DEFLATE)],
    ['gzip in gzip', http('Content-Encoding: gzip, gzip', twice)],
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

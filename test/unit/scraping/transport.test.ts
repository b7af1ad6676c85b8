import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  BodyEncodingError,
  BodyTooLargeError,
  createUndiciTransport,
  type ScrapingTransport,
  type TransportRequest,
  UnknownEncodingError,
} from '../../../adapters/scraping/index.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { listen } from '../../support/listen.ts';

const closing = closingAfterEach();

async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(handler);
  const { url, close } = await listen(server);
  closing.push(close);
  return { url, server };
}

/** The address of a server that answers so. */
const serveBody = async (encoding: string, body?: string | Uint8Array): Promise<string> =>
  (await serve((_request, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body))).url;

function transport(): ScrapingTransport {
  const created = createUndiciTransport();
  closing.push(() => created.close());
  return created;
}

const request = (url: string, changes: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  url,
  headers: {},
  body: undefined,
  connectionKey: 'a1',
  proxyUrl: undefined,
  maxBodyBytes: 1_000_000,
  signal: new AbortController().signal,
  ...changes,
});

const openConnections = (server: Server) =>
  new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });

const text = (body: Uint8Array): string => new TextDecoder().decode(body);

describe('bodies', () => {
  it.each([
    [' GZIP ', gzipSync],
    ['deflate,,GZIP , identity', (data: Buffer) => gzipSync(deflateSync(data))],
    ['gzip, gzip, zstd', (data: Buffer) => zstdCompressSync(gzipSync(gzipSync(data)))],
    ['identity', (data: Buffer) => data],
  ] as const)('are unpacked from %s', async (encoding, pack) => {
    const url = await serveBody(encoding, pack(Buffer.from('Grüße '.repeat(1000))));
    expect(text((await transport().send(request(url))).body)).toBe('Grüße '.repeat(1000));
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br, gzip', gzipSync(brotliCompressSync(Buffer.alloc(1_000_001)))],
  ])('are refused when they unfold beyond the cap, in %s', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(100_000);
    await expect(transport().send(request(await serveBody(encoding, bomb)))).rejects.toThrow(BodyTooLargeError);
  });

  it.each([
    ['gzip, lzma', '"lzma"'],
    ['gzip, gzip, gzip, gzip', '"gzip, gzip, gzip, gzip"'],
    ['constructor', '"constructor"'],
  ])('are refused in %s, and the refusal names what is unknown', async (encoding, named) => {
    const refusal = transport().send(request(await serveBody(encoding, 'x')));
    const message = expect.stringContaining(named);
    await expect(refusal).rejects.toMatchObject({ constructor: UnknownEncodingError, message });
  });

  it('may be as long as the cap', async () => {
    const { url } = await serve((_request, response) => void response.end('12345'));
    expect(text((await transport().send(request(url, { maxBodyBytes: 5 }))).body)).toBe('12345');
    const refusal = transport().send(request(url, { maxBodyBytes: 4 }));
    await expect(refusal).rejects.toMatchObject({ constructor: BodyTooLargeError, name: 'BodyTooLargeError' });
  });

  it('are refused when they never end', async () => {
    const { url } = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        response.once('drain', more);
      };
      more();
    });
    await expect(transport().send(request(url))).rejects.toThrow(BodyTooLargeError);
  });

  it.each([
    ['gzip', Buffer.from('this is not packed')],
    ['deflate', deflateSync('x'.repeat(100)).subarray(0, -3)],
  ])('are refused when they are no %s, or end too soon', async (encoding, body) => {
    const refusal = transport().send(request(await serveBody(encoding, body)));
    await expect(refusal).rejects.toMatchObject({
      constructor: BodyEncodingError,
      name: 'BodyEncodingError',
      message: expect.stringContaining(encoding),
      cause: { code: expect.stringMatching(/^Z_/) },
    });
  });

  it('that break off with their connection are not called broken', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '1000' }).flushHeaders();
      response.write(gzipSync('x').subarray(0, 12), () => setTimeout(() => response.destroy(), 20));
    });
    const refusal = await transport()
      .send(request(url))
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).not.toBeInstanceOf(BodyEncodingError);
  });

  it.each(['gzip', 'gzip, br'])('may be empty although they are said to be %s', async (encoding) => {
    const url = await serveBody(encoding);
    for (const method of ['GET', 'HEAD']) {
      expect((await transport().send(request(url, { method }))).body).toHaveLength(0);
    }
  });

  it('are cut off with the signal', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x').subarray(0, 5));
    });
    const controller = new AbortController();
    const pending = transport().send(request(url, { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('enough')), 30);
    await expect(pending).rejects.toThrow();
  });
});

describe('requests', () => {
  it('carry their body, and ask for the packings that can be read unless they name others', async () => {
    const { url } = await serve(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      response.end(`${incoming.method} ${incoming.headers['accept-encoding']} ${Buffer.concat(chunks)}`);
    });
    const subject = transport();
    const own = { headers: { 'accept-encoding': 'br' } };
    const sent = await subject.send(request(url, { method: 'POST', body: 'a=1' }));
    expect(text(sent.body)).toBe('POST gzip, deflate, br a=1');
    expect(text((await subject.send(request(url, own))).body)).toBe('GET br ');
  });

  it('may be answered with 60 KB of headers', async () => {
    const { url } = await serve((_request, response) => {
      for (let index = 0; index < 60; index += 1) response.setHeader(`x-${index}`, 'x'.repeat(1_000));
      response.end();
    });
    expect((await transport().send(request(url))).headers['x-59']).toHaveLength(1_000);
  });
});

describe('connections', () => {
  it('end with the transport, which sends nothing more', async () => {
    let came = () => undefined as unknown;
    const arrival = new Promise((resolve) => {
      came = () => resolve(undefined);
    });
    const { url, server } = await serve(() => came());
    const subject = transport();
    const pending = expect(subject.send(request(url))).rejects.toThrow();
    await arrival;
    await subject.close();
    await pending;
    await expect(subject.send(request(url))).rejects.toThrow('closed');
    await expect.poll(() => openConnections(server)).toBe(0);
  });

  it('of a body that is not wanted are closed', async () => {
    const { url, server } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'lzma' }).write('x');
    });
    await expect(transport().send(request(url))).rejects.toThrow(BodyEncodingError);
    await expect.poll(() => openConnections(server)).toBe(0);
  });

  it('are kept by an identity, shared with none, and fresh after it was forgotten', async () => {
    const ports: (number | undefined)[] = [];
    const { url } = await serve(({ socket }, response) => {
      ports.push(socket.remotePort);
      response.end('x');
    });
    const subject = transport();
    for (let index = 0; index < 6; index += 1) await subject.send(request(url));
    const first = new Set(ports.splice(0));
    expect(first.size).toBeLessThan(6);
    await subject.send(request(url, { connectionKey: 's1' }));
    await subject.forget('a1');
    await subject.send(request(url));
    expect(ports.some((port) => first.has(port))).toBe(false);
  });

  it('go through the proxy, which is told the identity', async () => {
    const seen: string[] = [];
    const origin = await serve((_request, response) => void response.end('from the origin'));
    const proxy = await serve((incoming, response) => {
      seen.push(String(incoming.headers['proxy-authorization']));
      fetch(String(incoming.url)).then(async (answer) => response.end(await answer.text()));
    });
    proxy.server.on('connect', (incoming, socket) => {
      seen.push(String(incoming.headers['proxy-authorization']));
      const { hostname, port } = new URL(`http://${incoming.url}`);
      const upstream = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      closing.push(() => upstream.destroy());
    });
    const address = new URL(proxy.url);
    const subject = transport();
    const as = (connectionKey: string) =>
      request(origin.url, { connectionKey, proxyUrl: `http://user-${connectionKey}:pw@${address.host}` });
    expect(text((await subject.send(as('a7f3'))).body)).toBe('from the origin');
    await subject.send(as('s0001'));
    const users = seen.map((header) => Buffer.from(header.replace(/^Basic /, ''), 'base64').toString('utf8'));
    expect(users).toEqual(['user-a7f3:pw', 'user-s0001:pw']);
  });
});

it('requests of one identity are all on the wire at once, for the pace alone says how many there may be', async () => {
  // All are answered when the last has come: one that waited for another's end would wait forever.
  const waiting: ServerResponse[] = [];
  const { url } = await serve((_request, response) => {
    waiting.push(response);
    if (waiting.length === 30) for (const each of waiting) each.end('x');
  });
  const subject = transport();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => subject.send(request(`${url}/${index}`))));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
});

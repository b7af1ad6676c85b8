/** HTTP over undici: one dispatcher per identity, bodies decompressed under a cap, redirects left alone. */
import type { Dispatcher } from 'undici';
import { late } from '../../core/late.ts';
import type { ContentCoding } from '../../core/ports/content-decoder.ts';
import { codingNamed, codingNames, MAX_CODINGS } from '../../core/web-proof/http/content-codings.ts';
import { decompress } from '../zlib-decoder/index.ts';
import type { ScrapingTransport, TransportRequest, TransportResponse } from './types.ts';

/** The body is larger than the cap, before or after decompression. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/** The body's encoding is unknown or its data is broken. */
export class BodyEncodingError extends Error {
  override readonly name: string = 'BodyEncodingError';
}

/** The body has an encoding that cannot be undone here. */
export class UnknownEncodingError extends BodyEncodingError {
  override readonly name = 'UnknownEncodingError';
  /** As the server named it, shortened. */
  readonly encoding: string;

  constructor(encoding: string) {
    const shown = encoding.slice(0, 40);
    super(`The body has the unsupported encoding ${JSON.stringify(shown)}.`);
    this.encoding = shown;
  }
}

type Undici = Pick<typeof import('undici'), 'Agent' | 'ProxyAgent'>;

/** The transport used in production. Closing it closes every connection. */
export function createUndiciTransport(): ScrapingTransport {
  // By the first request: a start does without it.
  const undici = late(() => import('undici/index.js'));
  const dispatchers = new Map<string, Dispatcher>();
  let isClosed = false;

  function dispatcherFor({ Agent, ProxyAgent }: Undici, key: string, proxyUrl: string | undefined): Dispatcher {
    const existing = dispatchers.get(key);
    if (existing !== undefined) return existing;
    // Any number: the pace bounds the requests, and one that waited here for a connection would lose its own time to others.
    const limits = { connections: null, pipelining: 1, keepAliveTimeout: 10_000, maxHeaderSize: 64 * 1024 };
    const created = proxyUrl === undefined ? new Agent(limits) : new ProxyAgent({ ...limits, uri: proxyUrl });
    dispatchers.set(key, created);
    return created;
  }

  async function drop(key: string): Promise<void> {
    const dispatcher = dispatchers.get(key);
    dispatchers.delete(key);
    // Not destroyed: requests already under way on the old connection may finish.
    await dispatcher?.close();
  }

  return {
    async send(request: TransportRequest): Promise<TransportResponse> {
      const library = await undici();
      if (isClosed) throw new Error('The transport is closed.');
      const response = await library.request(request.url, {
        method: request.method as Dispatcher.HttpMethod,
        headers: { 'accept-encoding': 'gzip, deflate, br', ...request.headers },
        body: request.body ?? null,
        dispatcher: dispatcherFor(library, request.connectionKey, request.proxyUrl),
        signal: request.signal,
        // The caller's signal bounds the whole exchange.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const body = await readBody(response, request.maxBodyBytes);
      return { status: response.statusCode, headers: response.headers, body };
    },
    forget: drop,
    async close() {
      isClosed = true;
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** The header may come several times. */
async function readBody({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array> {
  const names = codingNames([headers['content-encoding'] ?? []].flat());
  const codings = names.flatMap((name) => codingNamed(name) ?? []);
  if (codings.length < names.length || names.length > MAX_CODINGS) {
    body.on('error', () => undefined).destroy();
    throw new UnknownEncodingError(names.findLast((name) => codingNamed(name) === undefined) ?? names.join(', '));
  }
  let bytes = await readWhole(body, maxBytes);
  for (const coding of codings.reverse()) {
    // A refusal with no bytes at all is often labelled as compressed: an empty body is not a broken one.
    if (bytes.length > 0) bytes = await decode(bytes, coding, maxBytes);
  }
  return bytes;
}

/** A body that was read to its end leaves its connection to the next request; any other takes it along. */
async function readWhole(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The cap counts decompressed bytes as they come, so that a small body cannot unfold into a large one. */
async function decode(bytes: Uint8Array, coding: ContentCoding, maxBytes: number): Promise<Uint8Array> {
  try {
    return await decompress(coding, bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new BodyEncodingError(`The ${coding} body is broken.`, { cause });
  }
}

const tooLarge = (maxBytes: number) => new BodyTooLargeError(`The body is larger than ${maxBytes} bytes.`);

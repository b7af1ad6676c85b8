/** HTTP over undici: one dispatcher per identity, bodies decompressed under a cap, redirects left alone. */
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { Dispatcher } from 'undici';
import { late } from '../../core/late.ts';
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

/** More of them in one body are a mistake or an attack. */
const MAX_ENCODINGS = 3;
/** Bodies of HTTP have windows of at most 8 MiB (RFC 9659). Larger ones would take their memory before a byte is made. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const DECODERS: Readonly<Record<string, () => Transform>> = {
  identity: () => new PassThrough(),
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress(ZSTD),
};

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

/** Servers list the encodings in the order in which they applied them. */
async function readBody({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array> {
  const [first = 'identity', ...others] = encodingsOf(headers['content-encoding']).reverse();
  const unknown = [first, ...others].find((encoding) => !Object.hasOwn(DECODERS, encoding));
  if (unknown !== undefined || others.length >= MAX_ENCODINGS) {
    body.on('error', () => undefined).destroy();
    throw new UnknownEncodingError(unknown ?? [first, ...others].reverse().join(', '));
  }
  let bytes = await decode(body, first, maxBytes);
  for (const encoding of others) {
    if (bytes.length > 0) bytes = await decode(Readable.from([bytes]), encoding, maxBytes);
  }
  return bytes;
}

/** Counts decompressed bytes as they come, so that a small body cannot unfold into a large one. */
async function decode(body: Readable, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const decoder = encoding === 'deflate' ? await inflaterFor(body) : (DECODERS[encoding] as () => Transform)();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isEmpty = true;
  body.once('data', () => {
    isEmpty = false;
  });
  try {
    // A body that was read to its end leaves its connection to the next request; any other takes it along.
    await pipeline(body, decoder, async (decoded: AsyncIterable<Uint8Array>) => {
      for await (const chunk of decoded) {
        size += chunk.length;
        if (size > maxBytes) throw new BodyTooLargeError(`The body is larger than ${maxBytes} bytes.`);
        chunks.push(chunk);
      }
    });
  } catch (error) {
    if (!isZlibError(error)) throw error;
    // A refusal with no bytes at all is often labelled as compressed: an empty body is not a broken one.
    if (isEmpty) return new Uint8Array();
    throw new BodyEncodingError(`The ${encoding} body is broken.`, { cause: error });
  }
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
}

/** `deflate` is the zlib format. Some servers send raw deflate under that name, whose first byte never looks like zlib's. */
async function inflaterFor(body: Readable): Promise<Transform> {
  await new Promise<void>((resolve, reject) => {
    body.once('readable', resolve).once('end', resolve).once('error', reject);
  });
  const start: Uint8Array | null = body.read();
  if (start === null) return createInflate();
  body.unshift(start);
  return ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

/** By the codes of zlib (`Z_DATA_ERROR`), of Brotli (`ERR__ERROR_FORMAT_…`) and of Zstandard (`ZSTD_error_…`). */
function isZlibError(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  return ['Z_', 'ERR__', 'ERR_BROTLI', 'ZSTD_', 'ERR_ZSTD'].some((prefix) => code.startsWith(prefix));
}

/** The header may come several times. */
function encodingsOf(value: string | readonly string[] | undefined): string[] {
  const names = String(value ?? '').split(',', 100);
  return names.map((name) => name.trim().toLowerCase()).filter((name) => name !== '' && name !== 'identity');
}

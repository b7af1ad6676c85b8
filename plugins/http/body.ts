/** Bytes to value: bounded reading, strict UTF-8, JSON or a form. */
import type { ServerResponse } from 'node:http';
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { parseJson } from '../../core/json-reader.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import type { ByteShare } from './byte-counter.ts';
import type { BodySource, BodyStream } from './message.ts';

export interface ReadBody {
  /** Null when the request has no body. */
  readonly bytes: Uint8Array | null;
  /** Set when the host has parsed the body already. */
  readonly parsed?: { readonly value: unknown };
}

/**
 * Reads at most `maxBytes`, and no more than the request's share.
 * @throws DomainError `PAYLOAD_TOO_LARGE` as soon as more arrive, or when `content-length` announces more;
 * `SERVICE_UNAVAILABLE` when the share is used up
 */
export async function readBody(
  source: BodySource,
  contentLength: string | undefined,
  maxBytes: number,
  share?: ByteShare,
): Promise<ReadBody> {
  if (source.kind === 'none') return { bytes: null };
  if (source.kind === 'parsed') return { bytes: null, parsed: { value: source.value } };
  if (source.kind === 'bytes') {
    if (source.bytes.length > maxBytes) throw tooLarge(maxBytes);
    return { bytes: source.bytes.length === 0 ? null : source.bytes };
  }
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
  letBodyCome(source.stream);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const iterator = source.stream[Symbol.asyncIterator]();
  try {
    for (let next = await nextOf(iterator, share); !next.done; next = await nextOf(iterator, share)) {
      length += next.value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      share?.take(next.value.length);
      chunks.push(next.value);
    }
  } catch (error) {
    void letPass(iterator, source.stream);
    throw error;
  }
  if (length === 0) return { bytes: null };
  return { bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length) };
}

/** The next piece. @throws why the share was ended, at once */
function nextOf(
  iterator: AsyncIterator<Uint8Array>,
  share: ByteShare | undefined,
): Promise<IteratorResult<Uint8Array>> {
  const ended = share?.ended;
  ended?.throwIfAborted();
  return ended === undefined ? iterator.next() : untilAborted(iterator.next(), ended);
}

/** Requests whose client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
const waiting = new WeakMap<object, ServerResponse>();

/** Keeps the client waiting until `letBodyCome`. */
export function holdBodyBack(request: object, response: ServerResponse): void {
  // A client that is refused keeps its body back, so the next bytes could be the body or another request.
  response.shouldKeepAlive = false;
  waiting.set(request, response);
}

/** Asks the client for the body. Does nothing for a request that no one holds back. */
function letBodyCome(request: object): void {
  const response = waiting.get(request);
  if (response === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = true;
  response.writeContinue();
}

/** What a client may still send after the refusal. Left unread it would hold its socket; ended at once it would miss it. */
const LINGER_BYTES = 4 * 1024 * 1024;

async function letPass(iterator: AsyncIterator<Uint8Array>, stream: BodyStream): Promise<void> {
  try {
    let passed = 0;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      passed += next.value.length;
      if (passed > LINGER_BYTES) return void stream.destroy?.();
    }
  } catch {
    // The client has gone; that is what was waited for.
  }
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('PAYLOAD_TOO_LARGE', `The body is larger than the ${maxBytes} bytes this route accepts.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

type MediaType = 'json' | 'form';

/** How a body is decoded. */
export interface ParseOptions {
  readonly allowForm?: boolean;
  /** For what is not UTF-8 or not JSON. @default 'INVALID_REQUEST' */
  readonly invalidCode?: ErrorCode | undefined;
}

/**
 * Decodes a body by its content type. What the host has parsed already needs the right type as well. A browser sends the
 * others, with cookies, to any site without asking it first.
 * @throws DomainError `UNSUPPORTED_MEDIA_TYPE`; `PAYLOAD_TOO_LARGE` for JSON of too many values; `invalidCode`
 */
export function parseBody(
  body: ReadBody,
  contentType: string | undefined,
  { allowForm = false, ...options }: ParseOptions = {},
): unknown {
  const { bytes, parsed } = body;
  if (bytes === null && parsed === undefined) return undefined;
  const mediaType = mediaTypeOf(contentType, allowForm);
  return bytes === null ? parsed?.value : decode(bytes, mediaType, options);
}

function mediaTypeOf(contentType: string | undefined, allowForm: boolean): MediaType {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (allowForm && type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type)) return 'json';
  throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
}

function decode(
  bytes: Uint8Array,
  mediaType: MediaType,
  { invalidCode = 'INVALID_REQUEST' }: Omit<ParseOptions, 'allowForm'>,
): unknown {
  if (mediaType === 'json' && bytes.length > MAX_JSON_VALUES && hasMoreValuesThan(MAX_JSON_VALUES, bytes)) {
    throw new DomainError('PAYLOAD_TOO_LARGE', `The body holds more than ${MAX_JSON_VALUES} values.`);
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new DomainError(invalidCode, 'The body is not valid UTF-8.');
  }
  if (mediaType === 'form') return Object.fromEntries(new URLSearchParams(text));
  try {
    return parseJson(text);
  } catch {
    throw new DomainError(invalidCode, 'The body is not valid JSON.');
  }
}

/** As many as fit into a body of the default size, so that no such body has to be looked at. */
export const MAX_JSON_VALUES = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Tells whether more than `limit` values are in a JSON text. Counts commas and opening brackets outside of strings, so an empty
 * list or object counts twice. `{},` is three bytes on the wire and more than sixty in memory. A body that may be large for the
 * sake of a few long texts must not be as large in values.
 */
export function hasMoreValuesThan(limit: number, text: Uint8Array): boolean {
  const { length } = text;
  let values = 1;
  for (let at = 0; at < length && values <= limit; at += 1) {
    const byte = text[at];
    if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1;
    if (byte !== QUOTE) continue;
    for (at += 1; at < length && text[at] !== QUOTE; at += 1) if (text[at] === BACKSLASH) at += 1;
  }
  return values > limit;
}

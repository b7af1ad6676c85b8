/** Bytes to value: bounded reading, strict UTF-8, JSON or a form. */
import { DomainError, type ErrorCode } from '../../core/errors.ts';
import { parseJson } from '../../core/json-reader.ts';
import type { BodyShare } from './body-budget.ts';
import { letBodyCome } from './expect-continue.ts';
import { hasMoreValuesThan, MAX_JSON_VALUES } from './json-size.ts';
import type { BodySource, BodyStream } from './message.ts';

export interface ReadBody {
  /** Null when the request has no body. */
  readonly bytes: Uint8Array | null;
  /** Set when the host has parsed the body already. */
  readonly parsed?: { readonly value: unknown };
}

/** Larger bodies are parsed one a turn of the event loop: hundreds may arrive in the same one. */
const SMALL_BODY_BYTES = 16 * 1024;
/** The steps over a larger body get a turn each: one takes milliseconds. */
const LARGE_BODY_BYTES = 1024 * 1024;
/** Of a body, as many are read when they arrive. */
const FIRST_BYTES = 128 * 1024;
/** And then as many whenever it has a turn. A socket would otherwise give 2 MiB a turn, and many at once hold the process up. */
const TURN_BYTES = 512 * 1024;

/**
 * Reads at most `maxBytes`, and no more than the request's share of the instance's budget.
 * @param ownTurn resolves in a turn of the event loop that no other body has; a large body then resolves in one
 * @throws DomainError `PAYLOAD_TOO_LARGE` as soon as more arrive, or when `content-length` announces more;
 * `SERVICE_UNAVAILABLE` when the share is used up
 */
export async function readBody(
  source: BodySource,
  contentLength: string | undefined,
  maxBytes: number,
  share?: BodyShare,
  ownTurn?: () => Promise<void>,
): Promise<ReadBody> {
  if (source.kind === 'none') return { bytes: null };
  if (source.kind === 'parsed') return { bytes: null, parsed: { value: source.value } };
  if (source.kind === 'bytes') {
    if (source.bytes.length > maxBytes) throw tooLarge(maxBytes);
    if (source.bytes.length > SMALL_BODY_BYTES) await ownTurn?.();
    return { bytes: source.bytes.length === 0 ? null : source.bytes };
  }
  if (Number(contentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
  letBodyCome(source.stream);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let readFreely = FIRST_BYTES;
  const iterator = source.stream[Symbol.asyncIterator]();
  try {
    for (let next = await nextOf(iterator, share); !next.done; next = await nextOf(iterator, share)) {
      length += next.value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      share?.take(next.value.length);
      chunks.push(next.value);
      if (length < readFreely) continue;
      readFreely = length + TURN_BYTES;
      await ownTurn?.();
    }
  } catch (error) {
    void letPass(iterator, source.stream);
    throw error;
  }
  if (length === 0) return { bytes: null };
  if (length > SMALL_BODY_BYTES) await ownTurn?.();
  return { bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length) };
}

/** The next piece. @throws why the share was ended, at once */
function nextOf(
  iterator: AsyncIterator<Uint8Array>,
  share: BodyShare | undefined,
): Promise<IteratorResult<Uint8Array>> {
  const ended = share?.ended;
  return ended === undefined ? iterator.next() : nextUntil(iterator, ended);
}

async function nextUntil(iterator: AsyncIterator<Uint8Array>, ended: AbortSignal): Promise<IteratorResult<Uint8Array>> {
  ended.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(ended.reason);
  ended.addEventListener('abort', stop);
  try {
    return await Promise.race([iterator.next(), stopped.promise]);
  } finally {
    ended.removeEventListener('abort', stop);
  }
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
  /** Awaited between the steps over a large body, which would otherwise hold the event loop together. */
  readonly ownTurn?: () => Promise<void>;
}

/**
 * Decodes a body by its content type. What the host has parsed already needs the right type as well. A browser sends the
 * others, with cookies, to any site without asking it first.
 * @throws DomainError `UNSUPPORTED_MEDIA_TYPE`; `PAYLOAD_TOO_LARGE` for JSON of too many values; `invalidCode`
 */
export async function parseBody(
  body: ReadBody,
  contentType: string | undefined,
  { allowForm = false, ...options }: ParseOptions = {},
): Promise<unknown> {
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

async function decode(
  bytes: Uint8Array,
  mediaType: MediaType,
  { invalidCode = 'INVALID_REQUEST', ownTurn }: Omit<ParseOptions, 'allowForm'>,
): Promise<unknown> {
  const nextTurn = bytes.length > LARGE_BODY_BYTES ? ownTurn : undefined;
  if (
    mediaType === 'json' &&
    bytes.length > MAX_JSON_VALUES &&
    (await hasMoreValuesThan(MAX_JSON_VALUES, bytes, nextTurn))
  ) {
    throw new DomainError('PAYLOAD_TOO_LARGE', `The body holds more than ${MAX_JSON_VALUES} values.`);
  }
  await nextTurn?.();
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new DomainError(invalidCode, 'The body is not valid UTF-8.');
  }
  if (mediaType === 'form') return Object.fromEntries(new URLSearchParams(text));
  await nextTurn?.();
  try {
    return parseJson(text);
  } catch {
    throw new DomainError(invalidCode, 'The body is not valid JSON.');
  }
}

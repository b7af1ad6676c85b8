/** Second step: checks and parses path, query and body, and makes of them what a handler is given. */
import type { Caller } from '../../../core/access/token.ts';
import { DomainError } from '../../../core/errors.ts';
import { parseBody, readBody } from '../body.ts';
import type { ByteShare } from '../byte-counter.ts';
import type { HttpRequest } from '../message.ts';
import { parseInput } from '../parse-input.ts';
import { headerOf } from '../request-headers.ts';
import { bodySchemaOf, type RouteInput } from '../route.ts';
import type { Exchange } from './exchange.ts';

export type AnyInput = RouteInput<unknown, unknown, unknown>;

const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

/**
 * Returns the input of the row's handler. Path and query are checked before the body is read.
 * @param publicUrl without a trailing slash; undefined: the URL that the request was sent to
 * @throws DomainError for input that does not fit; of a body also `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`,
 * `SERVICE_UNAVAILABLE`, and what `checkHeaders` and `checkSender` of the row throw
 */
export async function receiveInput(exchange: Exchange, publicUrl: string | undefined): Promise<AnyInput> {
  const { route, request, share } = exchange;
  const params = parseInput(route.params, request.params, 'path');
  const query = route.query
    ? parseInput(route.query, queryObject(request.query), 'query', route.invalidCode)
    : undefined;
  const { body, rawBody } = share === null ? NO_BODY : await receiveBody(exchange, share);
  return new Input(exchange, publicUrl, { params, query, body, rawBody });
}

type Body = Pick<AnyInput, 'body' | 'rawBody'>;

const NO_BODY: Body = { body: undefined, rawBody: null };

/** The parsed body of a route that takes one; undefined if the body is optional and missing. */
async function receiveBody({ route, request }: Exchange, share: ByteShare): Promise<Body> {
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, invalidCode, form = false } = route;
  const header = (name: string) => headerOf(request.headers, name);
  const length = header('content-length');
  // The host's own parser may have unpacked a body that it has read, and its bytes tell who sent it.
  if (request.body.kind === 'stream') {
    // A body that is too large is refused for its size.
    if (!(Number(length) > maxBodyBytes)) route.checkHeaders?.(header);
    refuseContentEncoding(header('content-encoding'));
  }
  const raw = await readBody(request.body, length, maxBodyBytes, share);
  const rawBody = raw.parsed === undefined ? (raw.bytes ?? new Uint8Array()) : null;
  route.checkSender?.({ rawBody, headers: single(request.headers), header });
  const value = parseBody(raw, header('content-type'), { allowForm: form, invalidCode });
  if (value === undefined && (route.bodyOptional || route.body === undefined)) return NO_BODY;
  if (value === undefined) {
    throw new DomainError(invalidCode ?? 'INVALID_REQUEST', 'Invalid request: a JSON body is required.');
  }
  const body = parseInput(bodySchemaOf(route), value, 'body', invalidCode);
  // A large body is not kept twice for rows that do not ask who sent it.
  return { body, rawBody: route.checkSender === undefined ? null : rawBody };
}

function single(headers: HttpRequest['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function refuseContentEncoding(header = ''): void {
  const coding = header.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return;
  throw new DomainError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body without a Content-Encoding, not in ${coding.slice(0, 40)}.`,
  );
}

/** A class, since making an object with getters of its own takes a microsecond. */
class Input implements AnyInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly rawBody: Uint8Array | null;
  readonly caller: Caller | null;
  readonly requestId: string;
  readonly hold: (bytes: number) => void;
  readonly #request: HttpRequest;
  readonly #publicUrl: string | undefined;

  constructor(
    { caller, requestId, request, share }: Exchange,
    publicUrl: string | undefined,
    { params, query, body, rawBody }: Pick<AnyInput, 'params' | 'query' | 'body' | 'rawBody'>,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.rawBody = rawBody;
    this.caller = caller;
    this.requestId = requestId;
    this.hold = (bytes) => share?.take(bytes);
    this.#request = request;
    this.#publicUrl = publicUrl;
  }

  get ip(): string {
    return this.#request.ip();
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.#request.baseUrl();
  }

  get signal(): AbortSignal {
    return this.#request.signal();
  }

  header(name: string): string | undefined {
    return headerOf(this.#request.headers, name);
  }
}

/** Repeated parameters keep the first value; `__proto__` is a name like any other. */
function queryObject(query: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  if (query === '') return result;
  for (const [name, value] of new URLSearchParams(query)) result[name] ??= value;
  return result;
}

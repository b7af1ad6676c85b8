/** Second step: checks and parses path, query and body. */
import { DomainError } from '../../../core/errors.ts';
import { parseBody, readBody } from '../body.ts';
import type { ByteShare } from '../byte-counter.ts';
import type { HttpRequest } from '../message.ts';
import { parseInput } from '../parse-input.ts';
import { bodySchemaOf } from '../route.ts';
import type { Exchange } from './exchange.ts';

const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

/**
 * Sets the input of the row's handler. Path and query are checked before the body is read.
 * @throws DomainError for input that does not fit; of a body also `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`,
 * `SERVICE_UNAVAILABLE`, and what `checkHeaders` and `checkSender` of the row throw
 */
export async function receiveInput(exchange: Exchange): Promise<void> {
  const { route, request, share } = exchange;
  exchange.params = parseInput(route.params, request.params, 'path');
  if (route.query) exchange.query = parseInput(route.query, queryObject(request.query), 'query', route.invalidCode);
  if (share !== null) await receiveBody(exchange, share);
}

/** Parses the body of a route that takes one. It stays undefined if it is optional and missing. */
async function receiveBody(exchange: Exchange, share: ByteShare): Promise<void> {
  const { route, request } = exchange;
  const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, invalidCode, form = false } = route;
  const header = (name: string) => exchange.header(name);
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
  if (value === undefined && (route.bodyOptional || route.body === undefined)) return;
  if (value === undefined) {
    throw new DomainError(invalidCode ?? 'INVALID_REQUEST', 'Invalid request: a JSON body is required.');
  }
  exchange.body = parseInput(bodySchemaOf(route), value, 'body', invalidCode);
  // A large body is not kept twice for rows that do not ask who sent it.
  if (route.checkSender !== undefined) exchange.rawBody = rawBody;
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

/** Repeated parameters keep the first value; `__proto__` is a name like any other. */
function queryObject(query: string): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  if (query === '') return result;
  for (const [name, value] of new URLSearchParams(query)) result[name] ??= value;
  return result;
}

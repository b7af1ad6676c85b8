/** Reads the body of a request, checks its sender and parses it. */
import { DomainError } from '../../../core/errors.ts';
import { parseBody, type ReadBody, readBody } from '../body.ts';
import { parseInput } from '../parse-input.ts';
import type { Route } from '../route.ts';
import type { BodyShares, Exchange } from './exchange.ts';
import { headerOf } from './request-headers.ts';

const DEFAULT_MAX_BODY_BYTES = 64 * 1024;

const maxBodyBytesOf = (route: Route) => route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;

/**
 * Lets the row refuse a request by its headers, before the body is read. A body that the host has read already is checked
 * with its bytes, and one that is too large is refused for its size.
 * @throws DomainError of the row
 */
export function checkHeaders({ route, request }: Exchange): void {
  if (route.checkHeaders === undefined || request.body.kind !== 'stream') return;
  const isTooLarge = Number(headerOf(request.headers, 'content-length')) > maxBodyBytesOf(route);
  if (!isTooLarge) route.checkHeaders((name) => headerOf(request.headers, name));
}

/**
 * Returns the parsed body of a route that takes one; undefined if the body is optional and missing.
 * @throws DomainError `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE`, `SERVICE_UNAVAILABLE`, the row's code for invalid input,
 * or what its `checkSender` throws
 */
export async function receiveBody(exchange: Exchange, { own, stranger }: BodyShares): Promise<unknown> {
  const { route, request } = exchange;
  refuseContentEncoding(exchange);
  const length = headerOf(request.headers, 'content-length');
  const raw = await readBody(request.body, length, maxBodyBytesOf(route), stranger ?? own);
  if (route.checkSender) checkSender(route.checkSender, exchange, raw);
  if (stranger !== null) {
    stranger.release();
    own.take(raw.bytes?.length ?? 0);
  }
  return parseReceived(exchange, raw);
}

function refuseContentEncoding({ request }: Exchange): void {
  // The host's own parser may have unpacked a body that it has read.
  if (request.body.kind !== 'stream') return;
  const coding = headerOf(request.headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new DomainError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body without a Content-Encoding, not in ${coding.slice(0, 40)}.`,
  );
}

function checkSender(
  check: NonNullable<Route['checkSender']>,
  { request }: Exchange,
  { bytes, parsed }: ReadBody,
): void {
  const rawBody = parsed === undefined ? (bytes ?? new Uint8Array()) : null;
  check({ rawBody, header: (name) => headerOf(request.headers, name) });
}

async function parseReceived({ route, request }: Exchange, raw: ReadBody): Promise<unknown> {
  const { form: allowForm = false, invalidCode } = route;
  const value = await parseBody(raw, headerOf(request.headers, 'content-type'), { allowForm, invalidCode });
  if (value === undefined && route.bodyOptional) return undefined;
  if (value === undefined) {
    throw new DomainError(invalidCode ?? 'INVALID_REQUEST', 'Invalid request: a JSON body is required.');
  }
  return parseInput(route.body, value, 'body', invalidCode);
}

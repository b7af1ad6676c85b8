import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { TlsRequest } from '../../ports/tls-exchange.ts';
import { authorityOf, HTTPS_PORT } from '../host-binding.ts';
import { type NotarizeRequest, parseHeaderLine, serverNameOf } from '../prove-request.ts';

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Writes the one HTTP/1.1 message of a request: the caller's headers first, lower-cased, in their order. Next
 * come `connection: close`, `host`, `content-length` where there is a body, and `accept-encoding: identity` unless the caller
 * asked for another. The target is in origin form, in authority form for CONNECT. Deterministic: anyone who knows the request
 * knows the bytes.
 */
export function writeRequest(request: NotarizeRequest): Pick<TlsRequest, 'serverName' | 'port' | 'bytes'> {
  const url = new URL(request.url);
  const serverName = serverNameOf(url);
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  const target = request.method === 'CONNECT' ? `${serverName}:${port}` : `${url.pathname}${url.search}`;

  const headers = request.headers
    .flatMap((line) => parseHeaderLine(line) ?? [])
    .filter((header) => header.name !== 'connection');
  const lines = headers.map((header) => `${header.name}: ${header.value}`);
  const body = utf8ToBytes(request.body ?? '');
  lines.push('connection: close', `host: ${authorityOf({ name: serverName, port })}`);
  if (request.body !== undefined || METHODS_WITH_BODY.has(request.method)) lines.push(`content-length: ${body.length}`);
  if (!headers.some((header) => header.name === 'accept-encoding')) lines.push('accept-encoding: identity');

  const head = utf8ToBytes(`${request.method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return { serverName, port, bytes: concatBytes(head, body) };
}

/** Single values of a request's header fields. */
import type { HttpRequest } from '../message.ts';

/** One header by lower-case name; the first one if it is repeated. */
export function headerOf(headers: HttpRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/;

/** Fits a header field and a log as it is. */
const HOST_REQUEST_ID = /^[!-~]{1,128}$/;

/** The host's own id of the request if it has one, else the client's `x-request-id` if it is well-formed, else a new one. */
export function requestIdOf(headers: HttpRequest['headers'], ofHost?: string): string {
  if (ofHost !== undefined && HOST_REQUEST_ID.test(ofHost)) return ofHost;
  const given = headerOf(headers, 'x-request-id');
  return given !== undefined && REQUEST_ID.test(given) ? given : crypto.randomUUID();
}

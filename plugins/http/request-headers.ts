/** Single header fields of a request, and which of them it may not send. */
import { isIPv6 } from 'node:net';
import { DomainError } from '../../core/errors.ts';
import type { HttpRequest, RawRequest } from './message.ts';

/** One header by lower-case name; the first one if it is repeated. */
export function headerOf(headers: HttpRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Browsers say where a request comes from if they reach the host by HTTPS or on the same machine. Other clients say nothing. */
export function isOfOtherOrigin({ 'sec-fetch-site': site }: HttpRequest['headers']): boolean {
  return site !== undefined && site !== 'same-origin';
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

/**
 * Refuses a request with more than one `Host`, one of HTTP/1.1 with none, and one that names no host (RFC 9112, section 3.2).
 * Node keeps the first of several and checks no value; a proxy in front may have read the last.
 * @returns the refusal, or null for a request with one `Host`
 */
export function hostRefusal({ httpVersion, rawHeaders }: RawRequest): DomainError | null {
  const [host, ...others] = valuesOf(rawHeaders, 'host');
  if (host === undefined && httpVersion !== '1.1') return null;
  if (host === undefined || others.length > 0) {
    return new DomainError('INVALID_REQUEST', 'Send exactly one Host header.');
  }
  return isHost(host) ? null : invalidHost();
}

/** Refuses a second `Authorization`: Node keeps the first, and a proxy in front may have checked another. */
export function authorizationRefusal({ rawHeaders }: RawRequest): DomainError | null {
  const isRepeated = valuesOf(rawHeaders, 'authorization').length > 1;
  return isRepeated ? new DomainError('INVALID_REQUEST', 'Send at most one Authorization header.') : null;
}

function valuesOf(rawHeaders: RawRequest['rawHeaders'], field: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === field.length && name.toLowerCase() === field) values.push(rawHeaders[at + 1] as string);
  }
  return values;
}

/**
 * Returns a host that links can be made with. It may come from a proxy, and is empty in HTTP/1.0.
 * @throws DomainError `INVALID_REQUEST`
 */
export function linkableHost(host: string): string {
  if (isHost(host)) return host;
  throw invalidHost();
}

/** The refusal of what names no host. */
export function invalidHost(): DomainError {
  return new DomainError('INVALID_REQUEST', 'Send a Host header that is a name or an address, with a port if needed.');
}

const MAX_NAME = 253;
/** A name of one label after the other or an address; escapes and further punctuation are in no name that resolves. */
const HOST = /^([\w~-]+(?:\.[\w~-]+)*\.?|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?$/i;

/** Clients of a service name the same host again and again, and parsing it takes a twentieth of a short request. */
let lastHost = '';

/** Whether a value is `uri-host [ ":" port ]`. Empty is nothing that a URL of ours can have (RFC 9110, section 4.2.1). */
function isHost(value: string): boolean {
  if (value === lastHost && value !== '') return true;
  const [, name = ''] = value.length > MAX_NAME + 6 ? [] : (HOST.exec(value) ?? []);
  if (name === '' || name.length > MAX_NAME) return false;
  if (name.startsWith('[') && !isIPv6(name.slice(1, -1))) return false;
  // Ports beyond 65535, and addresses that are none such as 256.1.1.1.
  const isUsable = URL.canParse(`http://${value}`);
  if (isUsable) lastHost = value;
  return isUsable;
}

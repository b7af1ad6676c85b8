import { anyHidden, type VisibleBytes } from '../tlsnotary/visible-bytes.ts';
import { type HttpRequest, headersNamed } from './message.ts';
import { transcriptError } from './transcript-error.ts';

/**
 * Stands for one hidden byte of a URL: U+FFFD, three bytes of UTF-8. A request target is printable ASCII, so no URL contains
 * it, and a contract that compares URLs never takes a hidden part for text. An `X` could be a real one.
 */
export const HIDDEN_URL_BYTE = '\ufffd';

/** Where a request says that it goes. */
export interface RequestAddress {
  /**
   * The revealed authorities (`Host` header, absolute target, target of CONNECT): host in lower case without trailing
   * dot, and port.
   */
  readonly authorities: readonly { readonly host: string; readonly port: string | null }[];
  /**
   * True when the one `Host` header is revealed. An absolute target alone decides nothing, since many servers go by `Host`. A header
   * whose name is hidden may be another `Host`, of which some servers take the first. So may a trailer. A hidden part of the
   * target may be another authority, which goes before `Host` (RFC 9112, section 3.2.2).
   */
  readonly hostShown: boolean;
  /** Scheme, authority and path as an absolute URL; each hidden byte of the target is a `HIDDEN_URL_BYTE`. */
  readonly url: string;
  /** True when the URL has hidden bytes. */
  readonly urlHidden: boolean;
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i;
const AUTHORITY = /^([^:@]+)(?::(\d{1,5}))?$/;

/**
 * @param server name, and port unless 443, that are in for a `Host` header that is hidden or missing.
 * @throws DomainError `INTERNAL_SERVER_ERROR` for several `Host` headers, a malformed one, or a target that is neither
 * path, `*`, `https` URL nor, with CONNECT, an authority.
 */
export function requestAddress(request: HttpRequest, sent: VisibleBytes, server: string): RequestAddress {
  const { target, targetRange, method } = request;
  const hosts = headersNamed(request, 'host');
  if (hosts.length > 1) throw transcriptError('request', 'it has more than one Host header');
  const [host] = hosts;
  const authorities = [];
  const isRevealed = host !== undefined && !anyHidden(sent, host.valueRange.start, host.valueRange.end);
  if (isRevealed) authorities.push(parseAuthority(host.value));
  const { trailers } = request.body;
  const hostShown =
    isRevealed &&
    isAuthorityKnown(request, sent) &&
    ![...request.headers, ...trailers].some(({ nameRange: { start, end } }) => anyHidden(sent, start, end)) &&
    !trailers.some(({ name }) => name === 'host');
  const authority = authorities.map(({ host, port }) =>
    port === null || port === '443' ? host : `${host}:${port}`,
  )[0];
  const urlHidden = anyHidden(sent, targetRange.start, targetRange.end);
  const base = `https://${authority ?? server}`;
  const shownTarget = urlHidden ? withHiddenBytes(request, sent) : target;

  if (method === 'CONNECT') {
    if (!urlHidden) authorities.push(parseAuthority(target));
    return { authorities, hostShown, url: `https://${shownTarget}`, urlHidden };
  }
  if (shownTarget.startsWith('/')) return { authorities, hostShown, url: `${base}${shownTarget}`, urlHidden };
  if (target === '*') return { authorities, hostShown, url: base, urlHidden };
  const absolute = ABSOLUTE.exec(target);
  if (absolute?.[1]?.toLowerCase() !== 'https' || absolute[2] === undefined) {
    if (urlHidden) return { authorities, hostShown, url: shownTarget, urlHidden };
    throw transcriptError('request', 'the target is neither a path nor an https URL');
  }
  const start = targetRange.start + absolute[0].length - absolute[2].length;
  if (!anyHidden(sent, start, start + absolute[2].length)) authorities.push(parseAuthority(absolute[2]));
  return { authorities, hostShown, url: shownTarget, urlHidden };
}

/** False if hidden bytes of the target may name a server. */
function isAuthorityKnown({ method, target, targetRange: { start, end } }: HttpRequest, sent: VisibleBytes): boolean {
  const isShown = (length: number) => !anyHidden(sent, start, start + length);
  if (method === 'CONNECT') return isShown(end - start);
  if (/^[/*]/.test(target)) return isShown(1);
  return isShown(ABSOLUTE.exec(target)?.[0].length ?? end - start);
}

/** The target with its hidden bytes marked. */
function withHiddenBytes({ target, targetRange: { start } }: HttpRequest, sent: VisibleBytes): string {
  // One character of the target is one byte: it is ASCII.
  return Array.from(target, (character, index) =>
    anyHidden(sent, start + index, start + index + 1) ? HIDDEN_URL_BYTE : character,
  ).join('');
}

function parseAuthority(text: string): { host: string; port: string | null } {
  const match = AUTHORITY.exec(text);
  if (match?.[1] === undefined) throw transcriptError('request', 'its Host is not a name and an optional port');
  const port = match[2] === undefined ? null : `${Number(match[2])}`;
  return { host: match[1].toLowerCase().replace(/\.$/, ''), port };
}

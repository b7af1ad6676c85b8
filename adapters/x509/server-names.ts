/** The names that a certificate is for. */
import { DerError, eachElement } from './der.ts';

/** The tag of a DNS name (RFC 5280 section 4.2.1.6). */
export const DNS_NAME = 0x82;

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A wildcard is a whole first label with at least two labels after it. */
const PRESENTED_NAME = new RegExp(`^(?:\\*(?:\\.${LABEL}){2,}|${LABEL}(?:\\.${LABEL})*)$`);
const NUMERIC_END = /(?:^|\.)\d+$/;
const MAX_LENGTH = 253;

/** A name in lower case, without a wildcard: at least one label, and no address. */
export function isDnsName(name: string): boolean {
  return name.length <= MAX_LENGTH && !name.startsWith('*') && PRESENTED_NAME.test(name) && !NUMERIC_END.test(name);
}

/**
 * True when one of a certificate's DNS names covers the server's. The common name does not count.
 * @param subjectAltName the content of the extension's SEQUENCE.
 * @param serverName in lower case, without a trailing dot.
 * @throws DerError when a name before the one that covers it is malformed; later ones are not looked at.
 */
export function isForServer(subjectAltName: Uint8Array | undefined, serverName: string): boolean {
  const parent = serverName.slice(serverName.indexOf('.') + 1);
  for (const { tag, content } of eachElement(subjectAltName ?? new Uint8Array())) {
    if (tag !== DNS_NAME) continue;
    const name = String.fromCharCode(...content.subarray(0, MAX_LENGTH + 1)).toLowerCase();
    if (name.length > MAX_LENGTH || !PRESENTED_NAME.test(name) || NUMERIC_END.test(name)) {
      throw new DerError('it has a malformed DNS name');
    }
    if (name === serverName || (name.startsWith('*.') && name.slice(2) === parent)) return true;
  }
  return false;
}

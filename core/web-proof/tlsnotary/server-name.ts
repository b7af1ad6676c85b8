const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The last label; those who take it for a number read the name as an IP address. */
const NUMERIC_END = /(?:^|\.)\d+$/;
const MAX_LENGTH = 253;

/**
 * True for a DNS name in its one canonical form: lower case, without a trailing dot. False for anything else: empty, an IP
 * address, a wildcard, a malformed label, a numeric last label. The notary's signature does not cover the name in an identity.
 * If a second form were allowed, a proof could be changed and still verify.
 */
export function isServerName(name: string): boolean {
  return name.length <= MAX_LENGTH && name.split('.').every((label) => LABEL.test(label)) && !NUMERIC_END.test(name);
}

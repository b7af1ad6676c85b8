const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The last label; those who take it for a number read the name as an IP address. */
const NUMERIC_END = /(?:^|\.)\d+$/;
const MAX_LENGTH = 253;

/**
 * The DNS name that an identity claims, without a trailing dot.
 * @returns null when it is not a DNS name: empty, an IP address, a wildcard, a malformed label, a numeric last label, or
 * not in lower case. The name is not signed; with upper case allowed, a proof could be altered and still verify.
 */
export function canonicalServerName(name: string): string | null {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name;
  if (bare.length > MAX_LENGTH) return null;
  if (!bare.split('.').every((label) => LABEL.test(label))) return null;
  return NUMERIC_END.test(bare) ? null : bare;
}

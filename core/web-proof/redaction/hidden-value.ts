import { decodeHeaderText } from '../http/text.ts';
import type { Direction } from '../tlsnotary/presentation.ts';
import { type ByteRange, sliceRanges } from '../tlsnotary/ranges.ts';

/** One value that is to be hidden. */
export interface HiddenValue {
  /** For messages: `the request header authorization`. Never the value. */
  readonly what: string;
  readonly direction: Direction;
  /** Where it is in the transcript; several ranges when chunked framing cuts it. */
  readonly ranges: readonly ByteRange[];
  /** Texts that would give it away if they appeared elsewhere: as it stands, decoded, without blanks, the secret part of it. */
  readonly tellTales: readonly string[];
  /** It is `true`, `false` or `null` in JSON: its length says which, so it is not looked for. */
  readonly isLiteral?: boolean;
  /** The caller named it, rather than leaving it out of an allowlist. */
  readonly named?: boolean;
  /** It says how to talk, so headers that are never hidden may well say the same: they are not searched for it. */
  readonly aboutTalking?: boolean;
}

/** A value shorter than this appears in other places by chance, unless it is there as a whole word or number. */
export const MIN_SEARCHED_LENGTH = 8;

/** Names come from URLs and servers; messages stay short. */
const MAX_WHAT = 120;

/**
 * Describes a value for hiding.
 * @param decoded further texts of it, for example with its escapes undone.
 */
export function hiddenValue(
  what: string,
  direction: Direction,
  transcript: Uint8Array,
  ranges: readonly ByteRange[],
  decoded: readonly string[] = [],
): HiddenValue {
  const texts = new Set([decodeHeaderText(sliceRanges(transcript, ranges)), ...decoded]);
  for (const text of [...texts]) texts.add(text.trim());
  texts.delete('');
  return { what: what.slice(0, MAX_WHAT), direction, ranges, tellTales: [...texts] };
}

/**
 * The parts of a header that are secret on their own. Credentials have tokens, passwords and parameters; cookies have values, and
 * `X-Forwarded-For` has addresses.
 */
export function credentialParts(name: string, value: string): string[] {
  if (name.endsWith('authorization') || /^(?:basic|bearer|token)\s/i.test(value)) {
    // No pattern for both parts: it would take quadratic time over many blanks.
    const end = value.search(/\s/);
    const scheme = end === -1 ? '' : value.slice(0, end);
    const token = end === -1 ? '' : value.slice(end).trimStart();
    return scheme.toLowerCase() === 'basic' ? [token, ...basicParts(token)] : [token, ...secretParameters(value)];
  }
  if (name.endsWith('forwarded-for'))
    return value
      .split(',')
      .map((part) => part.trim())
      .filter(isLong);
  if (name === 'forwarded') return secretParameters(value);
  return cookiePairs(name, value).map((cookie) =>
    cookie
      .slice(cookie.indexOf('=') + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  );
}

/** Cookies with their names, as `cookie` and `set-cookie` both write them. */
export function cookiePairs(name: string, value: string): string[] {
  const pairs = name === 'cookie' ? value.split(';') : name === 'set-cookie' ? value.split(';', 1) : [];
  return pairs.map((pair) => pair.trim());
}

/** Parameters of credentials that answers repeat, or that say how to read the others. */
const PUBLIC_PARAMETERS = new Set(
  'algorithm by charset client cnonce created device expires headers host id keyid nc nonce oauth_callback oauth_consumer_key oauth_nonce oauth_signature_method oauth_timestamp oauth_version opaque proto qop realm se signedheaders skn sr ts uri userhash username username* version'.split(
    ' ',
  ),
);

/** Takes linear time: a name begins where no other character of a name is before it, and the next quote closes a text. */
const PARAMETER = /(?<![\w*-])([\w*-]+)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?|([^\s",;&]+))/g;

/** The values of parameters such as `oauth_token="…"` that are long enough to be a secret, and no public ones. */
function secretParameters(value: string): string[] {
  return Array.from(value.matchAll(PARAMETER), ([, name = '', quoted, plain = '']) =>
    PUBLIC_PARAMETERS.has(name.toLowerCase()) ? '' : (quoted ?? plain),
  ).filter(isLong);
}

function isLong({ length }: string): boolean {
  return length >= MIN_SEARCHED_LENGTH;
}

function basicParts(token: string): string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const pair = decodeHeaderText(bytes);
    const colon = pair.indexOf(':');
    const password = pair.slice(colon + 1);
    const user = pair.slice(0, Math.max(0, colon));
    return isKey(user, password) ? [pair, password, user] : [pair, password];
  } catch {
    return [];
  }
}

/** No password is shorter. */
const MIN_PASSWORD = 4;

/**
 * Whether the user is the secret, as in `sk_live_51H8abcDEF:`, `…:X` and `…:x-oauth-basic`. Many answers show the name of a user, or of
 * a key that has a password.
 */
function isKey(user: string, password: string): boolean {
  if (!isLong(user) || user.includes('@')) return false;
  if (password.length < MIN_PASSWORD) return true;
  const isFiller = !isLong(password) || /^[a-z_-]+$/i.test(password);
  return isFiller && /^[\w-]{16,}$/.test(user) && /\d[A-Za-z]+\d/.test(user);
}

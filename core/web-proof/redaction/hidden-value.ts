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
  /** Texts that would give it away if they appeared elsewhere: as it stands, decoded, the secret part of it. */
  readonly tellTales: readonly string[];
  /** It is `true`, `false` or `null` in JSON: its length says which, so it is not looked for. */
  readonly isLiteral?: boolean;
  /** Only its hashes are looked for. */
  readonly hashedOnly?: boolean;
  /** The caller named it, rather than leaving it out of an allowlist. */
  readonly named?: boolean;
  /** It says how to talk, so headers that are never hidden may well say the same: they are not searched for it. */
  readonly aboutTalking?: boolean;
}

/** A value shorter than this appears in other places by chance, unless it is there as a whole word or number. */
export const MIN_ECHO_LENGTH = 8;

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
  texts.delete('');
  return { what: what.slice(0, MAX_WHAT), direction, ranges, tellTales: [...texts] };
}

/**
 * The parts of a credential header that are secret on their own: the token behind the scheme, the password of Basic, the
 * values of cookies.
 */
export function credentialParts(name: string, value: string): string[] {
  if (name === 'authorization' || name === 'proxy-authorization') {
    // No pattern for both parts: it would take quadratic time over many blanks.
    const end = value.search(/\s/);
    const scheme = end === -1 ? '' : value.slice(0, end);
    const token = end === -1 ? '' : value.slice(end).trimStart();
    return scheme.toLowerCase() === 'basic' ? [token, ...basicPassword(token)] : [token];
  }
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

function basicPassword(token: string): string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const pair = decodeHeaderText(bytes);
    return [pair, pair.slice(pair.indexOf(':') + 1)];
  } catch {
    return [];
  }
}

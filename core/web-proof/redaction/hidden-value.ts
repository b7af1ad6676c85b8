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

/** A value of fewer bytes appears in other places by chance, unless it is there as a whole word or number. */
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
  return { what: what.slice(0, MAX_WHAT), direction, ranges, tellTales: [...texts] };
}

/** The parts of a header that are secret on their own: tokens, passwords, the values of cookies, and addresses. */
export function credentialParts(name: string, value: string): string[] {
  if (name.endsWith('authorization') || /^(?:basic|bearer|token)\s/i.test(value)) {
    // No pattern for both parts: it would take quadratic time over many blanks.
    const end = value.search(/\s/);
    const token = end === -1 ? '' : value.slice(end).trimStart();
    return value.slice(0, Math.max(0, end)).toLowerCase() === 'basic' ? [token, ...basicParts(token)] : [token];
  }
  if (name.endsWith('forwarded-for')) return value.split(',').map((part) => part.trim());
  const cookies = name === 'cookie' ? value.split(';') : name === 'set-cookie' ? value.split(';', 1) : [];
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim());
  // Cookies hold settings too: `dark` and `en` are no secrets.
  const secrets = values.filter((text) => text.length >= MIN_SEARCHED_LENGTH || /\d/.test(text));
  return secrets.map((text) => text.replace(/^"(.*)"$/, '$1'));
}

/** No password is that: the user is the secret, as in `sk_live_51H8abcDEF:`. Many answers show the names of other users. */
const NO_PASSWORD = /^(?:.{0,3}|x-oauth-basic)$/;

function basicParts(token: string): string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const pair = decodeHeaderText(bytes);
    const colon = pair.indexOf(':');
    const password = pair.slice(colon + 1);
    const user = pair.slice(0, Math.max(0, colon));
    return NO_PASSWORD.test(password) ? [pair, password, user] : [pair, password];
  } catch {
    return [];
  }
}

/** Instagram's two names of one post: the shortcode of URLs and the number (`pk`) of its APIs. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** A number has at most 11 characters; what follows on some private posts is a key. */
const NUMBER_LENGTH = 11;
/** The length of the key; the numbers of older posts have 10 characters or fewer before it. */
const KEY_LENGTH = 28;

/** The post's number, in decimal digits; null for a text that is no shortcode. A string, since numbers exceed 2^53. */
export function shortcodeToPk(shortcode: string): string | null {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(shortcode)) return null;
  let pk = 0n;
  for (const character of numberPart(shortcode)) pk = pk * 64n + BigInt(ALPHABET.indexOf(character));
  return String(pk);
}

function numberPart(shortcode: string): string {
  const hasKey = shortcode.length > KEY_LENGTH && shortcode.length <= NUMBER_LENGTH + KEY_LENGTH;
  return shortcode.slice(0, hasKey ? -KEY_LENGTH : NUMBER_LENGTH);
}

/** The shortcode of a post's number, also given as `pk_userpk`; null for a text that is neither. */
export function pkToShortcode(id: string): string | null {
  const match = /^(\d{1,20})(?:_\d{1,20})?$/.exec(id);
  if (match?.[1] === undefined) return null;
  let rest = BigInt(match[1]);
  if (rest >= 64n ** BigInt(NUMBER_LENGTH)) return null;
  let shortcode = '';
  do {
    shortcode = ALPHABET.charAt(Number(rest % 64n)) + shortcode;
    rest /= 64n;
  } while (rest > 0n);
  return shortcode;
}

/** Ids and addresses as the platforms make them. */
import { hashText } from './seeded.ts';

const SHORTCODE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function secUidOf(handle: string): string {
  return `MS4wLjABAAAA${hashText(handle).toString(36).padStart(7, '0')}${hashText(`${handle}.`).toString(36)}`;
}

/** The creation time is in the upper half, as in real ids. */
export function tiktokId(seconds: number, low: number): string {
  return String((BigInt(seconds) << 32n) + BigInt(low));
}

/** Eleven characters; the first stays small so that the number behind it fits 63 bits. */
export function shortcode(high: number, low: number): string {
  let bits = (BigInt(high) << 32n) | BigInt(low);
  let code = '';
  for (let position = 0; position < 10; position += 1) {
    code = SHORTCODE_ALPHABET.charAt(Number(bits & 63n)) + code;
    bits >>= 6n;
  }
  return `D${code}`;
}

/** The address of a post that people share. */
export function postUrl(platform: string, handle: string, contentId: string): string {
  if (platform === 'instagram') return `https://www.instagram.com/p/${contentId}/`;
  if (platform === 'youtube') return `https://www.youtube.com/watch?v=${contentId}`;
  return `https://www.tiktok.com/@${handle}/video/${contentId}`;
}

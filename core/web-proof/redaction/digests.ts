/** Hashes of hidden values in visible text: whoever sees one can try values until one fits. */
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { fromBase64, latin1Bytes } from './text-forms.ts';

/** The usual hashes, by the number of their bytes. */
const HASHES: ReadonlyMap<number, (bytes: Uint8Array) => Uint8Array> = new Map([
  [16, md5],
  [20, sha1],
  [28, sha224],
  [32, sha256],
  [48, sha384],
  [64, sha512],
]);

/** Of 64 bytes, without padding. */
const MAX_BASE64 = 86;

/** The words of a text that may be hashes, as lower-case hex, by the number of their bytes. */
export function digestWords(text: string): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>();
  const add = (hex: string) => {
    const length = hex.length / 2;
    if (!HASHES.has(length)) return;
    const words = found.get(length) ?? new Set();
    found.set(length, words.add(hex));
  };
  for (const [word] of text.matchAll(/[0-9A-Fa-f]{32,}/g)) add(word.toLowerCase());
  for (const [word] of text.matchAll(/[A-Za-z0-9+/_-]{22,}/g)) {
    const decoded = word.length > MAX_BASE64 ? null : fromBase64(word);
    if (decoded !== null) add(bytesToHex(latin1Bytes(decoded)));
  }
  return found;
}

/** Hashes of a text as it is, and as services hash addresses (trimmed, in small letters), of `length` bytes, in hex. */
export function digestsOf(text: string, length: number): string[] {
  const hash = HASHES.get(length);
  if (hash === undefined) return [];
  const spellings = new Set([text, text.trim().toLowerCase()]);
  return [...spellings].map((spelling) => bytesToHex(hash(new TextEncoder().encode(spelling))));
}

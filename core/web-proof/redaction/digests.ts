/** Hashes of hidden values in visible text: anyone who sees one can try values until one fits. */
import { blake2b } from '@noble/hashes/blake2.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { keccak_256, sha3_256, sha3_512 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Steps } from '../attested-values/steps.ts';
import { fromBase64, latin1Bytes } from './text-forms.ts';

const encoder = new TextEncoder();

/** The usual hashes, by the number of their bytes. */
const HASHES: ReadonlyMap<number, readonly ((bytes: Uint8Array) => Uint8Array)[]> = new Map([
  [16, [md5]],
  [20, [sha1, ripemd160]],
  [28, [sha224]],
  [32, [sha256, sha3_256, keccak_256]],
  [48, [sha384]],
  [64, [sha512, sha3_512, blake2b]],
]);

/** Lengths of their Base64, without padding. */
const BASE64_LENGTHS = [...HASHES.keys()].map((bytes) => Math.ceil((bytes * 4) / 3));

/** As many words as take a tenth of a millisecond. */
const WORDS_PER_STEP = 64;

/** The words of a text that may be hashes, as lower-case hex, by the number of their bytes. */
export function* digestWords(text: string): Steps<ReadonlyMap<number, ReadonlySet<string>>> {
  const found = new Map<number, Set<string>>();
  let read = 0;
  const add = (hex: string) => {
    read += 1;
    const length = hex.length / 2;
    if (!HASHES.has(length)) return;
    const words = found.get(length) ?? new Set();
    found.set(length, words.add(hex));
  };
  // Fingerprints have colons, and hashes in the form of UUIDs have hyphens.
  for (const spelling of [text, text.replace(/(?<=[0-9A-Fa-f])[-:](?=[0-9A-Fa-f])/g, '')]) {
    for (const [word] of spelling.matchAll(/[0-9A-Fa-f]{32,}/g)) {
      add(word.toLowerCase());
      if (read % WORDS_PER_STEP === 0) yield;
    }
  }
  for (const word of base64Words(text)) {
    const decoded = fromBase64(word);
    if (decoded !== null) add(bytesToHex(latin1Bytes(decoded)));
    if (read % WORDS_PER_STEP === 0) yield;
  }
  return found;
}

/** A run with more of them is no path and no tag. */
const MAX_SEPARATORS = 8;

/** Words of a length that a hash may have in Base64. What stands before or behind a slash or a hyphen may be none of it. */
function* base64Words(text: string): Generator<string, void> {
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{22,}/g)) {
    const edges = [-1, ...Array.from(run.matchAll(/[-+/_]/g), ({ index }) => index), run.length];
    if (edges.length > MAX_SEPARATORS + 2) {
      if (BASE64_LENGTHS.includes(run.length)) yield run;
      continue;
    }
    for (const before of edges) {
      for (const end of edges) {
        if (BASE64_LENGTHS.includes(end - before - 1)) yield run.slice(before + 1, end);
      }
    }
  }
}

/** Hashes of a text as it is, and as services hash addresses (trimmed, in small letters), of `length` bytes, in hex. */
export function digestsOf(text: string, length: number): string[] {
  const spellings = [...new Set([text, text.trim().toLowerCase()])].map((spelling) => encoder.encode(spelling));
  return (HASHES.get(length) ?? []).flatMap((hash) => spellings.map((bytes) => bytesToHex(hash(bytes))));
}

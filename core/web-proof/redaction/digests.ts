/** Hashes of hidden values in visible text: anyone who sees one can try values until one fits. */
import { blake2b } from '@noble/hashes/blake2.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512, sha512_224, sha512_256 } from '@noble/hashes/sha2.js';
import { keccak_256, sha3_224, sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Steps } from '../attested-values/steps.ts';
import { fromBase64 } from './encoded-words.ts';
import { latin1Bytes } from './text-forms.ts';
import { charactersIn, matchesOf, type Pattern, replacing, runsOf } from './text-scan.ts';

const encoder = new TextEncoder();

interface RunningHash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** The usual hashes, by the number of their bytes. */
const HASHES: ReadonlyMap<number, readonly { create(): RunningHash }[]> = new Map([
  [16, [md5]],
  [20, [sha1, ripemd160]],
  [28, [sha224, sha512_224, sha3_224]],
  [32, [sha256, sha512_256, sha3_256, keccak_256, { create: () => blake2b.create({ dkLen: 32 }) }]],
  [48, [sha384, sha3_384]],
  [64, [sha512, sha3_512, blake2b]],
]);

/** Lengths of their Base64, without padding. */
const BASE64_LENGTHS = [...HASHES.keys()].map((bytes) => Math.ceil((bytes * 4) / 3));

/** As many words as take a tenth of a millisecond. */
const WORDS_PER_STEP = 64;

/** Of the lengths above. A longer run of digits is no hash. */
const HEX: Pattern = { pattern: /(?<![0-9A-Fa-f])[0-9A-Fa-f]{32,128}(?![0-9A-Fa-f])/g, reach: 129, back: 1 };
const SEPARATOR_IN_HEX: Pattern = { pattern: /(?<=[0-9A-Fa-f])[-:](?=[0-9A-Fa-f])/g, reach: 2, back: 1 };

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
  for (const spelling of [text, yield* replacing(text, SEPARATOR_IN_HEX, () => '')]) {
    for (const word of matchesOf(spelling, HEX)) {
      if (word === null) yield;
      else add(word.match[0].toLowerCase());
    }
  }
  for (const word of base64Words(text)) {
    if (word === null || read % WORDS_PER_STEP === 0) yield;
    const decoded = word === null ? null : fromBase64(word);
    if (decoded !== null) add(bytesToHex(latin1Bytes(decoded)));
  }
  return found;
}

const BASE64_WORD = charactersIn(/[A-Za-z0-9+/_-]/);
/** A run with more of them is no path and no tag. */
const MAX_SEPARATORS = 8;

/**
 * Words of a length that a hash may have in Base64; null where other work may come in. What stands before or behind a slash or a
 * hyphen may be none of it.
 */
function* base64Words(text: string): Generator<string | null, void> {
  for (const range of runsOf(text, BASE64_WORD, 22)) {
    if (range === null) {
      yield null;
      continue;
    }
    const run = text.slice(range.start, range.end);
    const separators: number[] = [];
    for (const { index } of run.matchAll(/[-+/_]/g)) {
      separators.push(index);
      if (separators.length > MAX_SEPARATORS) break;
    }
    if (separators.length > MAX_SEPARATORS) {
      if (BASE64_LENGTHS.includes(run.length)) yield run;
      continue;
    }
    const edges = [-1, ...separators, run.length];
    for (const before of edges) {
      for (const end of edges) {
        if (BASE64_LENGTHS.includes(end - before - 1)) yield run.slice(before + 1, end);
      }
    }
  }
}

/** As many bytes as the slowest hash reads in a tenth of a millisecond. */
const HASHED_PER_STEP = 4_096;

/** Hashes of a text as it is, and as services hash addresses (trimmed, in small letters), of `length` bytes, in hex. */
export function* digestsOf(text: string, length: number): Steps<string[]> {
  const spellings = [...new Set([text, text.trim().toLowerCase()])].map((spelling) => encoder.encode(spelling));
  const digests: string[] = [];
  for (const { create } of HASHES.get(length) ?? []) {
    for (const bytes of spellings) {
      const hash = create();
      for (let at = 0; at < bytes.length; at += HASHED_PER_STEP) {
        if (at > 0) yield;
        hash.update(bytes.subarray(at, at + HASHED_PER_STEP));
      }
      digests.push(bytesToHex(hash.digest()));
    }
  }
  return digests;
}

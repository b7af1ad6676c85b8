import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { Blake3, blake3 } from './blake3.ts';

/** The numbers that hash algorithms have in attestations. */
export const HASH = { sha256: 1, blake3: 2, keccak256: 3 } as const;

/** All supported hashes are this long. */
export const HASH_LENGTH = 32;

/** An incremental hash: feed with `update`, finish with `digest` once. */
export interface RunningHash {
  update(bytes: Uint8Array): RunningHash;
  digest(): Uint8Array;
}

interface HashFunction {
  (bytes: Uint8Array): Uint8Array;
  create(): RunningHash;
}

const BLAKE3: HashFunction = Object.assign((bytes: Uint8Array) => blake3(bytes), { create: () => new Blake3() });

/** The hash with this number; undefined for numbers that nobody assigned. */
export function hashFunction(algorithm: number): HashFunction | undefined {
  if (algorithm === HASH.sha256) return sha256;
  if (algorithm === HASH.blake3) return BLAKE3;
  if (algorithm === HASH.keccak256) return keccak_256;
  return undefined;
}

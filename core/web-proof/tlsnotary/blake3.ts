/**
 * BLAKE3 with 32 bytes of output and no key (the paper, section 2). Presentations of other notaries ask for 128 bytes of it
 * for every byte that they show, and the library's own is ten times slower.
 */
import { swap32IfBE } from '@noble/hashes/utils.js';

const BLOCK_LENGTH = 64;
const BLOCK_WORDS = 16;
const CHUNK_LENGTH = 1024;
const ROUNDS = 7;
const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

const INITIAL = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

/** Which word of the block stands where in the next round. */
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
/** The words of the block in the order in which the rounds take them. */
const ORDER = new Uint8Array(ROUNDS * BLOCK_WORDS);
for (let at = 0; at < ORDER.length; at += 1) {
  const round = at - (at % BLOCK_WORDS);
  ORDER[at] = round === 0 ? at : (ORDER[round - BLOCK_WORDS + (PERMUTATION[at % BLOCK_WORDS] ?? 0)] ?? 0);
}

/** An incremental hash; `digest` may be called once. Inputs are below 4 TiB, so a chunk's number fits one word. */
export class Blake3 {
  readonly #words = new Int32Array(CHUNK_LENGTH / 4);
  readonly #bytes = new Uint8Array(this.#words.buffer);
  /** Bytes of the current chunk. It is compressed when more follow: the last chunk is treated differently. */
  #filled = 0;
  #chunks = 0;
  /** Values of the finished subtrees, the largest first. */
  readonly #subtrees: Int32Array[] = [];

  update(bytes: Uint8Array): this {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === CHUNK_LENGTH) this.#finishChunk();
      const piece = bytes.subarray(at, at + CHUNK_LENGTH - this.#filled);
      this.#bytes.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
    }
    return this;
  }

  digest(): Uint8Array {
    let value = this.#compressChunk(this.#subtrees.length === 0 ? ROOT : 0);
    for (let left = this.#subtrees.pop(); left !== undefined; left = this.#subtrees.pop()) {
      value = parentOf(left, value, this.#subtrees.length === 0 ? ROOT : 0);
    }
    return new Uint8Array(swap32IfBE(new Uint32Array(value.buffer)).buffer);
  }

  #finishChunk(): void {
    let value = this.#compressChunk(0);
    this.#filled = 0;
    this.#chunks += 1;
    // Two subtrees of one size become one: as often as the number of chunks can be halved.
    for (let chunks = this.#chunks; chunks % 2 === 0; chunks /= 2) {
      value = parentOf(this.#subtrees.pop() ?? value, value, 0);
    }
    this.#subtrees.push(value);
  }

  #compressChunk(flags: number): Int32Array {
    this.#bytes.fill(0, this.#filled);
    swap32IfBE(new Uint32Array(this.#words.buffer));
    const value = INITIAL.slice();
    const last = Math.max(0, Math.ceil(this.#filled / BLOCK_LENGTH) - 1);
    for (let block = 0; block <= last; block += 1) {
      const length = block === last ? this.#filled - last * BLOCK_LENGTH : BLOCK_LENGTH;
      const position = (block === 0 ? CHUNK_START : 0) | (block === last ? CHUNK_END | flags : 0);
      compress(value, this.#words, block * BLOCK_WORDS, this.#chunks, length, position);
    }
    return value;
  }
}

/** The hash of `bytes`. */
export function blake3(bytes: Uint8Array): Uint8Array {
  return new Blake3().update(bytes).digest();
}

function parentOf(left: Int32Array, right: Int32Array, flags: number): Int32Array {
  const block = new Int32Array(BLOCK_WORDS);
  block.set(left);
  block.set(right, left.length);
  const value = INITIAL.slice();
  compress(value, block, 0, 0, BLOCK_LENGTH, PARENT | flags);
  return value;
}

/** Mixes a block into a chaining value. The state stays in local variables: an array takes four times as long. */
function compress(value: Int32Array, words: Int32Array, at: number, chunk: number, size: number, flags: number): void {
  let v0 = value[0] ?? 0;
  let v1 = value[1] ?? 0;
  let v2 = value[2] ?? 0;
  let v3 = value[3] ?? 0;
  let v4 = value[4] ?? 0;
  let v5 = value[5] ?? 0;
  let v6 = value[6] ?? 0;
  let v7 = value[7] ?? 0;
  let v8 = INITIAL[0] ?? 0;
  let v9 = INITIAL[1] ?? 0;
  let v10 = INITIAL[2] ?? 0;
  let v11 = INITIAL[3] ?? 0;
  let v12 = chunk | 0;
  let v13 = 0;
  let v14 = size;
  let v15 = flags;
  for (let turn = 0; turn < ORDER.length; turn += BLOCK_WORDS) {
    v0 = (v0 + v4 + (words[at + (ORDER[turn + 0] ?? 0)] ?? 0)) | 0;
    v12 = rotate(v12 ^ v0, 16);
    v8 = (v8 + v12) | 0;
    v4 = rotate(v4 ^ v8, 12);
    v0 = (v0 + v4 + (words[at + (ORDER[turn + 1] ?? 0)] ?? 0)) | 0;
    v12 = rotate(v12 ^ v0, 8);
    v8 = (v8 + v12) | 0;
    v4 = rotate(v4 ^ v8, 7);
    v1 = (v1 + v5 + (words[at + (ORDER[turn + 2] ?? 0)] ?? 0)) | 0;
    v13 = rotate(v13 ^ v1, 16);
    v9 = (v9 + v13) | 0;
    v5 = rotate(v5 ^ v9, 12);
    v1 = (v1 + v5 + (words[at + (ORDER[turn + 3] ?? 0)] ?? 0)) | 0;
    v13 = rotate(v13 ^ v1, 8);
    v9 = (v9 + v13) | 0;
    v5 = rotate(v5 ^ v9, 7);
    v2 = (v2 + v6 + (words[at + (ORDER[turn + 4] ?? 0)] ?? 0)) | 0;
    v14 = rotate(v14 ^ v2, 16);
    v10 = (v10 + v14) | 0;
    v6 = rotate(v6 ^ v10, 12);
    v2 = (v2 + v6 + (words[at + (ORDER[turn + 5] ?? 0)] ?? 0)) | 0;
    v14 = rotate(v14 ^ v2, 8);
    v10 = (v10 + v14) | 0;
    v6 = rotate(v6 ^ v10, 7);
    v3 = (v3 + v7 + (words[at + (ORDER[turn + 6] ?? 0)] ?? 0)) | 0;
    v15 = rotate(v15 ^ v3, 16);
    v11 = (v11 + v15) | 0;
    v7 = rotate(v7 ^ v11, 12);
    v3 = (v3 + v7 + (words[at + (ORDER[turn + 7] ?? 0)] ?? 0)) | 0;
    v15 = rotate(v15 ^ v3, 8);
    v11 = (v11 + v15) | 0;
    v7 = rotate(v7 ^ v11, 7);
    v0 = (v0 + v5 + (words[at + (ORDER[turn + 8] ?? 0)] ?? 0)) | 0;
    v15 = rotate(v15 ^ v0, 16);
    v10 = (v10 + v15) | 0;
    v5 = rotate(v5 ^ v10, 12);
    v0 = (v0 + v5 + (words[at + (ORDER[turn + 9] ?? 0)] ?? 0)) | 0;
    v15 = rotate(v15 ^ v0, 8);
    v10 = (v10 + v15) | 0;
    v5 = rotate(v5 ^ v10, 7);
    v1 = (v1 + v6 + (words[at + (ORDER[turn + 10] ?? 0)] ?? 0)) | 0;
    v12 = rotate(v12 ^ v1, 16);
    v11 = (v11 + v12) | 0;
    v6 = rotate(v6 ^ v11, 12);
    v1 = (v1 + v6 + (words[at + (ORDER[turn + 11] ?? 0)] ?? 0)) | 0;
    v12 = rotate(v12 ^ v1, 8);
    v11 = (v11 + v12) | 0;
    v6 = rotate(v6 ^ v11, 7);
    v2 = (v2 + v7 + (words[at + (ORDER[turn + 12] ?? 0)] ?? 0)) | 0;
    v13 = rotate(v13 ^ v2, 16);
    v8 = (v8 + v13) | 0;
    v7 = rotate(v7 ^ v8, 12);
    v2 = (v2 + v7 + (words[at + (ORDER[turn + 13] ?? 0)] ?? 0)) | 0;
    v13 = rotate(v13 ^ v2, 8);
    v8 = (v8 + v13) | 0;
    v7 = rotate(v7 ^ v8, 7);
    v3 = (v3 + v4 + (words[at + (ORDER[turn + 14] ?? 0)] ?? 0)) | 0;
    v14 = rotate(v14 ^ v3, 16);
    v9 = (v9 + v14) | 0;
    v4 = rotate(v4 ^ v9, 12);
    v3 = (v3 + v4 + (words[at + (ORDER[turn + 15] ?? 0)] ?? 0)) | 0;
    v14 = rotate(v14 ^ v3, 8);
    v9 = (v9 + v14) | 0;
    v4 = rotate(v4 ^ v9, 7);
  }
  value.set([v0 ^ v8, v1 ^ v9, v2 ^ v10, v3 ^ v11, v4 ^ v12, v5 ^ v13, v6 ^ v14, v7 ^ v15]);
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

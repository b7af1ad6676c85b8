/**
 * The seal of the fake mode: 0xffffffff and the digest that RISC Zero gives to "the program `imageId` ended well with this
 * journal", which is what its mock verifier expects. It proves nothing.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

const FAKE_SELECTOR = Uint8Array.of(0xff, 0xff, 0xff, 0xff);
const ZERO_DIGEST = new Uint8Array(32);

/** RISC Zero's digest of a struct: tag, members, 32-bit little-endian data, then the number of members in 16 bits. */
function structDigest(tag: string, members: readonly Uint8Array[], data: readonly number[] = []): Uint8Array {
  const words = new Uint8Array(4 * data.length + 2);
  const view = new DataView(words.buffer);
  data.forEach((word, index) => {
    view.setUint32(4 * index, word, true);
  });
  view.setUint16(4 * data.length, members.length, true);
  return sha256(concatBytes(sha256(utf8ToBytes(tag)), ...members, words));
}

/** The digest of the claim that program `imageId` halted with exit code 0 and this journal, without assumptions. */
export function claimDigest(imageId: Uint8Array, journal: Uint8Array): Uint8Array {
  const output = structDigest('risc0.Output', [sha256(journal), ZERO_DIGEST]);
  const endState = structDigest('risc0.SystemState', [ZERO_DIGEST], [0]);
  return structDigest('risc0.ReceiptClaim', [ZERO_DIGEST, imageId, endState, output], [0, 0]);
}

/** The 36 bytes that a mock verifier accepts for this program and journal. */
export function fakeSeal(imageId: Uint8Array, journal: Uint8Array): Uint8Array {
  return concatBytes(FAKE_SELECTOR, claimDigest(imageId, journal));
}

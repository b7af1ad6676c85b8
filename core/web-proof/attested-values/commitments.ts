/**
 * Commitments: the 248-bit digests that a notary signs and that the contract recomputes from the journal. The layouts below are
 * those of WebProofVerifier.sol; word for word the same bytes must be hashed there.
 */

import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { type JournalValue, VALUE_KINDS } from '../extraction/journal-value.ts';
import { queryDigest } from '../extraction/queries.ts';
import { type Attester, BY_NOTARY, NO_WORD, requestDomain } from './program.ts';

/** The request and the moment that a proof speaks of. */
export interface RequestFacts {
  readonly method: string;
  /** Absolute; hidden bytes appear as `HIDDEN_URL_BYTE`. */
  readonly url: string;
  /** Unix seconds. */
  readonly tlsTimestamp: number;
  /** keccak-256 of the request's body as it was sent, without its transfer framing; left out if there is none. */
  readonly requestBody?: Uint8Array;
}

/** A digest as a field element: the topmost 248 bits, so that it is below the order of the field. */
function toCommitment(words: readonly Uint8Array[]): bigint {
  return bytesToNumberBE(keccak_256(concatBytes(...words))) >> 8n;
}

/**
 * keccak(domain, notary, keccak(method), keccak(url), timestamp, body), six words. `notary` is the fingerprint of the notary
 * that a delegate speaks for, and zero if the notary signs for itself. `body` is zero without a body.
 */
export function requestCommitment(facts: RequestFacts, attester: Attester = BY_NOTARY): bigint {
  return toCommitment([
    requestDomain(attester),
    attester.kind === 'delegate' ? attester.notary : NO_WORD,
    keccak_256(utf8ToBytes(facts.method)),
    keccak_256(utf8ToBytes(facts.url)),
    numberToBytesBE(facts.tlsTimestamp, 32),
    facts.requestBody ?? NO_WORD,
  ]);
}

/** keccak(label, kind, value), three words: the query's digest, the JSON kind, the integer or the digest of the text. */
export function valueCommitment(query: string, value: JournalValue): bigint {
  const word = value.kind === 'uint256' ? numberToBytesBE(BigInt(value.text), 32) : keccak_256(utf8ToBytes(value.text));
  return toCommitment([queryDigest(query), numberToBytesBE(VALUE_KINDS[value.kind], 32), word]);
}

/**
 * Who attests a request, and the guest ids that follow. A contract pins a guest id, so everything that a consumer has to know
 * about a seal beyond the journal is part of it. That is who attested, whether the prover hid parts, and the body of the request.
 */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Who attests the values of a proof. */
export type Attester =
  /** The notary that signed the web proof. `sealable` is false for an exchange of which it signs no values. */
  | { readonly kind: 'notary'; readonly sealable: boolean }
  /** A host that verified the web proof of another notary, whose fingerprint (32 bytes) is `notary`. */
  | {
      readonly kind: 'delegate';
      readonly notary: Uint8Array;
      /** The web proof hides bytes, and its prover may have chosen them: nobody can tell what stood there. */
      readonly partlyHidden: boolean;
    };

/** The notary itself, of an exchange that may be sealed. */
export const BY_NOTARY: Attester = { kind: 'notary', sealable: true };

/** A word of a commitment that says "nothing". */
export const NO_WORD = new Uint8Array(32);

const DOMAINS = {
  notary: keccak_256(utf8ToBytes('credence.request.v2')),
  // No contract recomputes commitments of this domain, so a tree with such a request proves nothing on chain.
  unsealable: keccak_256(utf8ToBytes('credence.unsealable-request.v2')),
  delegate: keccak_256(utf8ToBytes('credence.delegated-request.v1')),
  partlyHidden: keccak_256(utf8ToBytes('credence.delegated-partly-hidden-request.v1')),
};

/** The first word of a request commitment (32 bytes). Two kinds of attesters never sign the same commitment. */
export function requestDomain(attester: Attester): Uint8Array {
  if (attester.kind === 'notary') return attester.sealable ? DOMAINS.notary : DOMAINS.unsealable;
  return attester.partlyHidden ? DOMAINS.partlyHidden : DOMAINS.delegate;
}

/**
 * The guest id under which a contract accepts a seal: `base`, the id of the proving key, for a notary's own request without a
 * body. Otherwise it is keccak(base, domain of the request commitment, body).
 * @param requestBody keccak-256 of the body of the request.
 */
export function programId(base: `0x${string}`, attester: Attester, requestBody?: Uint8Array): `0x${string}` {
  if (attester.kind === 'notary' && requestBody === undefined) return base;
  const words = concatBytes(hexToBytes(base.slice(2)), requestDomain(attester), requestBody ?? NO_WORD);
  return `0x${bytesToHex(keccak_256(words))}`;
}

/** The first four bytes of a seal: those of the guest id without a body or hidden parts, the same for one contract. */
export function sealSelector(base: `0x${string}`, attester: Attester): `0x${string}` {
  const plain: Attester = attester.kind === 'delegate' ? { ...attester, partlyHidden: false } : attester;
  return programId(base, plain).slice(0, 10) as `0x${string}`;
}

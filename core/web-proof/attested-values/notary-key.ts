import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { KEY } from '../tlsnotary/attestation-signer.ts';
import type { VerifiedWebProof } from '../verify.ts';

/** The compressed key of the notary that signed `proof`, 33 bytes. */
export function notaryKeyOf(proof: VerifiedWebProof): Uint8Array {
  const { algorithm, data } = proof.presentation.body.verifyingKey.value;
  return (algorithm === KEY.p256 ? p256 : secp256k1).Point.fromBytes(data).toBytes(true);
}

/** Whether the key of the notary that signed `proof` is on secp256k1, which an Ethereum contract can check. */
export function signsOnSecp256k1(proof: VerifiedWebProof): boolean {
  return proof.presentation.body.verifyingKey.value.algorithm === KEY.secp256k1;
}

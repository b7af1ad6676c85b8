/** Values that a notary signed: its key, and the extension that it adds to a proof. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { attestCommitments } from '../../core/web-proof/attested-values/attestation.ts';
import {
  EXTENSION_ID,
  exchangeCommitments,
  type ProvableExchange,
} from '../../core/web-proof/attested-values/extension.ts';
import { createValuesSigner, type ValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import type { Extension } from '../../core/web-proof/tlsnotary/presentation.ts';

function attester(byte: number) {
  const secretKey = new Uint8Array(32).fill(byte);
  return { publicKey: secp256k1.getPublicKey(secretKey, true), signer: createValuesSigner(secretKey) };
}

/** The notary that signs the proofs of `verifiedProof`. */
export const { publicKey: notaryKey, signer } = attester(7);
/** A host that attests for other notaries. */
export const delegate = attester(8);
export const seed = new Uint8Array(32).fill(1);

/** The extension that a notary adds for an exchange, with a seed of the test's choice. */
export function buildValuesExtension(signer: ValuesSigner, seed: Uint8Array, exchange: ProvableExchange): Extension {
  const value = attestCommitments(signer, seed, exchangeCommitments(exchange));
  return { id: utf8ToBytes(EXTENSION_ID), value };
}

import type { VerifiedWebProof } from '../verify.ts';
import { AttestationError } from './attestation.ts';
import { openValuesExtension } from './extension.ts';
import { notaryKeyOf } from './notary-key.ts';
import { exchangeOf } from './sealable.ts';

/**
 * Whether the notary signed, with the session, the values and the URL that the proof shows. Its values extension is covered by
 * the attestation's own signature, and speaks of the server that the notary was connected to.
 */
export function hasSignedValues(proof: VerifiedWebProof): boolean {
  try {
    return openValuesExtension(proof.extensions, notaryKeyOf(proof), exchangeOf(proof)) !== undefined;
  } catch (error) {
    if (error instanceof AttestationError) return false;
    throw error;
  }
}

/** What can be the secret key of a notary; checked without the cryptography that uses it. */
import { z } from 'zod';

/** The order of the group of secp256k1. */
const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

export const NOT_A_SECRET = 'must be the 32 bytes of a secp256k1 secret key';

/** Checks that 32 bytes are a secp256k1 secret key. */
export const notarySecret = z.instanceof(Uint8Array).refine(isSecret, NOT_A_SECRET);

function isSecret(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  const scalar = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  return scalar > 0n && scalar < ORDER;
}

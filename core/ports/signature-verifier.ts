/** Port: checks the signatures of notaries. */
export interface SignatureVerifier {
  /**
   * Checks a signature over the SHA-256 of `message`. `signature` is r and s, 32 bytes each; `key` is a compressed point of the
   * curve, 33 bytes. Both may come from an attacker: returns false, and never throws, for values out of range.
   */
  verifyEcdsa(curve: 'secp256k1' | 'p256', key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** Port: checks the signatures of notaries. */
export interface SignatureVerifier {
  /**
   * True if `signature` (r and s, 32 bytes each) was made over the SHA-256 of `message` with the secret of `key`
   * (a compressed point of the curve, 33 bytes). Key and signature are hostile: what is out of range is false and never throws.
   */
  verifyEcdsa(curve: 'secp256k1' | 'p256', key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

/** Cryptographically strong randomness; a port so that tests can make it repeatable. */
export interface RandomSource {
  /** So many fresh random bytes. */
  bytes(length: number): Uint8Array;
}

/** The runtime's cryptographic randomness. */
export const systemRandom: RandomSource = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) };

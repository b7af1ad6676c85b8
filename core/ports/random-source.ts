/** Cryptographically strong randomness; a port so that tests can make it repeatable. */
export interface RandomSource {
  bytes(length: number): Uint8Array;
}

export const systemRandom: RandomSource = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) };

/** The notaries whose proofs are believed. */
export interface TrustedNotaries {
  /**
   * True when the key was trusted at that time.
   * @param time Unix seconds of the TLS session, by the notary's clock.
   */
  isTrusted(fingerprint: string, time: number): boolean;
}

/** Unix seconds at the end of the year 9999. Whatever is more are milliseconds, and would be trusted forever. */
export const LAST_SECOND = 253_402_300_799;

/** A key and the Unix seconds in which its proofs are believed: from `validFrom`, before `validUntil`. */
export interface TrustedPeriod {
  /** SHA-256 of the compressed public key, 64 hex digits in lower case. */
  readonly fingerprint: string;
  readonly validFrom?: number | undefined;
  readonly validUntil?: number | undefined;
}

/** Trusts each key in its periods. A key may be in the list several times. */
export function createTrustedPeriods(list: readonly TrustedPeriod[]): TrustedNotaries {
  const periods = new Map<string, { from: number; until: number }[]>();
  for (const { fingerprint, validFrom, validUntil } of list) {
    const period = { from: validFrom ?? 0, until: validUntil ?? Number.POSITIVE_INFINITY };
    periods.set(fingerprint, [...(periods.get(fingerprint) ?? []), period]);
  }
  return {
    isTrusted: (fingerprint, time) =>
      (periods.get(fingerprint.toLowerCase()) ?? []).some(({ from, until }) => from <= time && time < until),
  };
}

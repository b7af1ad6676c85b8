import { createHash } from 'node:crypto';
import { keepNewest } from '../../core/keep-newest.ts';
import type { SentCertificate } from './node-certificates.ts';

const MAX_CHAINS = 128;

interface AcceptedChain {
  readonly leaf: SentCertificate;
  /** Unix seconds, both inclusive: in between, each certificate that was sent is valid or not as it was when they were judged. */
  readonly from: number;
  readonly until: number;
}

/**
 * The chains that were accepted last. Proofs of one server carry the same certificates for weeks, and to judge them is most
 * of a verification. Refused chains are not kept, so nobody can fill the memory with certificates of their own.
 */
export class AcceptedChains {
  readonly #chains = new Map<string, AcceptedChain>();

  /**
   * The leaf of these certificates if they were accepted, byte for byte, and the answer is the same at `time`. What depends on
   * the name of the server and its signature is not part of that answer.
   */
  leafOf(certificates: readonly Uint8Array[], time: number): SentCertificate | undefined {
    const key = keyOf(certificates);
    const chain = this.#chains.get(key);
    if (chain === undefined || time < chain.from || chain.until < time) return undefined;
    keepNewest(this.#chains, key, chain, MAX_CHAINS);
    return chain.leaf;
  }

  /** Remembers certificates that were accepted at `time`; `readable` are those among them that could be read. */
  add(
    certificates: readonly Uint8Array[],
    time: number,
    leaf: SentCertificate,
    readable: readonly SentCertificate[],
  ): void {
    let from = Number.NEGATIVE_INFINITY;
    let until = Number.POSITIVE_INFINITY;
    for (const { profile } of [leaf, ...readable]) {
      for (const change of [profile.notBefore, profile.notAfter + 1]) {
        if (change <= time) from = Math.max(from, change);
        else until = Math.min(until, change - 1);
      }
    }
    keepNewest(this.#chains, keyOf(certificates), { leaf, from, until }, MAX_CHAINS);
  }
}

function keyOf(certificates: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const certificate of certificates) hash.update(`${certificate.length}:`).update(certificate);
  return hash.digest('base64');
}

import { createHash } from 'node:crypto';
import type { CertificateChecker, CertificateVerdict } from '../../core/ports/certificate-checker.ts';

/** Asks once for each different claim: thousands of changed proofs share the certificates of a few. */
export function createRememberingChecker(checker: CertificateChecker): CertificateChecker {
  const verdicts = new Map<string, Promise<CertificateVerdict>>();
  return {
    check(claim) {
      const hex = (_key: string, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
      const key = createHash('sha256').update(JSON.stringify(claim, hex)).digest('hex');
      const verdict = verdicts.get(key) ?? checker.check(claim);
      verdicts.set(key, verdict);
      return verdict;
    },
  };
}

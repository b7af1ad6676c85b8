import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readSubject } from './certificate-profile.ts';
import { base64OfPem, pemBlocks } from './pem-blocks.ts';

/** Root certificates by subject. A root is a name and a key: its own dates and signature do not matter. */
export interface TrustedRoots {
  /** @param subject raw DER in hex. */
  named(subject: string): readonly X509Certificate[];
}

/**
 * SHA-256 of roots that Mozilla trusts under conditions which Node's list does not carry: TUBITAK, for names under .tr
 * only. The official verifier accepts nothing below it, so nothing is accepted here.
 */
export const CONDITIONAL_ROOTS: ReadonlySet<string> = new Set([
  '46edc3689046d53a453fb3104ab80dcaec658b2660ea1629dd7e867990648716',
]);

/**
 * Node's roots (Mozilla's list) and further ones.
 * @param extra DER, or PEM text with any number of certificates.
 * @throws Error for an extra root that is not a certificate.
 */
export function loadTrustedRoots(extra: readonly (string | Uint8Array)[], withNodeRoots: boolean): TrustedRoots {
  const ders = [
    ...(withNodeRoots ? rootCertificates.map(derOfPem).filter((der) => !CONDITIONAL_ROOTS.has(sha256(der))) : []),
    ...extra.flatMap((root) => (typeof root === 'string' ? splitPem(root) : [Buffer.from(root)])),
  ];
  const bySubject = new Map<string, (() => X509Certificate)[]>();
  for (const der of ders) {
    const subject = readSubject(der);
    const parse = once(() => new X509Certificate(der));
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), parse]);
  }
  return { named: (subject) => (bySubject.get(subject) ?? []).map((parse) => parse()) };
}

function splitPem(text: string): Buffer[] {
  const blocks = pemBlocks(text);
  if (blocks.length === 0) throw new Error('An extra root is given as PEM text that holds no certificate');
  return blocks.map(derOfPem);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function derOfPem(pem: string): Buffer {
  return Buffer.from(base64OfPem(pem), 'base64');
}

/** Most of the ~150 roots are never asked for: each is parsed when it first is. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

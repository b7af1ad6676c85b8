import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readSubject } from './certificate-profile.ts';
import type { ConstrainedRoot } from './chain-search.ts';
import { base64OfPem, pemBlocks } from './pem-blocks.ts';
import { constraintsOfRoot, unusableRoot } from './root.ts';

export interface TrustedRoot extends ConstrainedRoot {
  readonly x509: X509Certificate;
}

/** Root certificates by subject. */
export interface TrustedRoots {
  /** @param subject raw DER in hex. */
  named(subject: string): readonly TrustedRoot[];
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
 * @throws Error for an extra root that is not a certificate, or whose name constraints are malformed.
 */
export function loadTrustedRoots(extra: readonly (string | Uint8Array)[], withNodeRoots: boolean): TrustedRoots {
  const bySubject = new Map<string, (() => TrustedRoot)[]>();
  const add = (der: Buffer): (() => TrustedRoot) => {
    const subject = readSubject(der);
    const parse = once(() => ({ x509: new X509Certificate(der), constraints: constraintsOfRoot(der) }));
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), parse]);
    return parse;
  };
  if (withNodeRoots) {
    for (const der of rootCertificates.map(derOfPem)) if (!CONDITIONAL_ROOTS.has(sha256(der))) add(der);
  }
  for (const der of extra.flatMap((root) => (typeof root === 'string' ? splitPem(root) : [Buffer.from(root)]))) {
    try {
      add(der)();
    } catch (error) {
      throw unusableRoot(error);
    }
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

/** Certificates as Node's cryptography reads them. */
import type { X509Certificate } from 'node:crypto';
import type { CertificatePath, ChainAuthorities, ProfiledCertificate } from './chain-search.ts';
import type { TrustedRoot, TrustedRoots } from './trusted-roots.ts';

/** A certificate that was sent, parsed by Node and by the strict reader. */
export interface SentCertificate extends ProfiledCertificate {
  readonly x509: X509Certificate;
}

/** A path that Node's cryptography has checked. */
export type NodeCertificatePath = CertificatePath<SentCertificate, TrustedRoot>;

/** Searches go by Node's judgement of names, key identifiers, key usage and signatures. */
export function nodeAuthorities(roots: TrustedRoots): ChainAuthorities<SentCertificate, TrustedRoot> {
  return {
    named: roots.named,
    isIssued({ x509 }, { x509: authority }) {
      return isStrongKey(authority) && x509.checkIssued(authority) && x509.verify(authority.publicKey);
    },
  };
}

/** RSA of 2048 to 8192 bits, P-256, P-384 or Ed25519. */
export function isStrongKey(certificate: X509Certificate): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type === 'rsa') {
    const bits = details?.modulusLength ?? 0;
    return bits >= 2048 && bits <= 8192;
  }
  if (type === 'ec') return details?.namedCurve === 'prime256v1' || details?.namedCurve === 'secp384r1';
  return type === 'ed25519';
}

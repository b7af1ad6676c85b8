import type { X509Certificate } from 'node:crypto';
import { type CertificateProfile, SERVER_AUTH_OID } from './certificate-profile.ts';
import type { TrustedRoots } from './trusted-roots.ts';

/** A certificate that was sent, parsed by Node and by the strict reader. */
export interface SentCertificate {
  readonly x509: X509Certificate;
  readonly profile: CertificateProfile;
}

export interface CertificatePath {
  readonly leaf: SentCertificate;
  readonly intermediates: readonly SentCertificate[];
  readonly root: X509Certificate;
}

/** The official verifier follows as many. */
const MAX_INTERMEDIATES = 6;
/** Signature checks in one search. Certificates of one name and many keys could ask for exponentially many. */
const MAX_SIGNATURE_CHECKS = 100;

/**
 * All paths from the leaf to a trusted root, found with backtracking: a name may belong to several keys. Each path is in
 * order of time, use, path length, key sizes and signatures; a caller may still refuse it and take the next. Goes through
 * the certificates in the order of the official verifier and counts like it, so that both give up at the same point.
 * @param time Unix seconds.
 */
export function* findPaths(
  leaf: SentCertificate,
  sent: readonly SentCertificate[],
  roots: TrustedRoots,
  time: number,
): Generator<CertificatePath> {
  const budget = { left: MAX_SIGNATURE_CHECKS };
  const isIssued = (certificate: X509Certificate, issuer: X509Certificate): boolean => {
    if (budget.left === 0) return false;
    budget.left--;
    return isStrongKey(issuer) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  };
  /** From the root down. */
  const signaturesHold = (path: readonly SentCertificate[], root: X509Certificate): boolean =>
    path.reduceRight<X509Certificate | null>(
      (issuer, { x509 }) => (issuer !== null && isIssued(x509, issuer) ? x509 : null),
      root,
    ) !== null;

  function* extend(path: readonly [SentCertificate, ...SentCertificate[]]): Generator<CertificatePath> {
    const { profile: last } = path.at(-1) ?? leaf;
    for (const root of roots.named(last.issuer)) {
      if (signaturesHold(path, root)) yield { leaf, intermediates: path.slice(1), root };
    }
    const depth = path.length - 1;
    if (depth === MAX_INTERMEDIATES) return;
    for (const candidate of sent) {
      const { profile } = candidate;
      if (profile.subject !== last.issuer || path.some((other) => isSameEntity(other.profile, profile))) continue;
      if (!profile.ca || depth > (profile.pathLength ?? Number.POSITIVE_INFINITY)) continue;
      if (isUsable(profile, time)) yield* extend([...path, candidate]);
    }
  }
  yield* extend([leaf]);
}

/** A path through one entity twice is a loop (RFC 4158 section 5.2), also when its certificates differ. */
function isSameEntity(a: CertificateProfile, b: CertificateProfile): boolean {
  return a.subject === b.subject && a.publicKey === b.publicKey;
}

/** Valid at the time and good for TLS servers: leaf and intermediates must be both. */
export function isUsable(profile: CertificateProfile, time: number): boolean {
  return isValidAt(profile, time) && (profile.extendedKeyUsage?.includes(SERVER_AUTH_OID) ?? true);
}

export function isValidAt(profile: CertificateProfile, time: number): boolean {
  return profile.notBefore <= time && time <= profile.notAfter;
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

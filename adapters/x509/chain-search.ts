import { type CertificateProfile, SERVER_AUTH_OID } from './certificate-profile.ts';

/** A certificate that was sent, as the strict reader sees it. */
export interface ProfiledCertificate {
  readonly profile: CertificateProfile;
}

export interface CertificatePath<C, R> {
  readonly leaf: C;
  readonly intermediates: readonly C[];
  readonly root: R;
}

/** What a search needs to know of certificates and roots, whatever they are to the caller. */
export interface ChainAuthorities<C, R> {
  /** The roots with this subject, raw DER in hex. */
  named(subject: string): readonly R[];
  /** Whether the key of the issuer is strong enough, and signed the certificate. */
  isIssued(certificate: C, issuer: C | R): boolean;
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
export function* findPaths<C extends ProfiledCertificate, R>(
  leaf: C,
  sent: readonly C[],
  authorities: ChainAuthorities<C, R>,
  time: number,
): Generator<CertificatePath<C, R>> {
  const budget = { left: MAX_SIGNATURE_CHECKS };
  const isIssued = (certificate: C, issuer: C | R): boolean => {
    if (budget.left === 0) return false;
    budget.left--;
    return authorities.isIssued(certificate, issuer);
  };
  /** From the root down. */
  const signaturesHold = (path: readonly C[], root: R): boolean =>
    path.reduceRight<C | R | null>(
      (issuer, certificate) => (issuer !== null && isIssued(certificate, issuer) ? certificate : null),
      root,
    ) !== null;

  function* extend(path: readonly [C, ...C[]]): Generator<CertificatePath<C, R>> {
    const { profile: last } = path.at(-1) ?? leaf;
    for (const root of authorities.named(last.issuer)) {
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

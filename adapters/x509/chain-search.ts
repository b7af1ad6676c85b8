import { type CertificateProfile, SERVER_AUTH_OID } from './certificate-profile.ts';
import { allowsNames, type NameConstraints } from './name-constraints.ts';

/** A certificate that was sent, as the strict reader sees it. */
export interface ProfiledCertificate {
  readonly profile: CertificateProfile;
}

export interface CertificatePath<C, R> {
  readonly leaf: C;
  readonly intermediates: readonly C[];
  readonly root: R;
}

/** A root, as far as a search looks at it itself. */
export interface ConstrainedRoot {
  readonly constraints: NameConstraints | undefined;
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
/** Certificates tried as the next of a path: all orders of as many as a presentation holds. */
const MAX_STEPS = 10_000;

/**
 * All paths from the leaf to a trusted root, found with backtracking: a name may belong to several keys. Time, use, path length,
 * key sizes, signatures and the names that the root allows are checked. A caller may still refuse a path and take the next. Goes
 * through the certificates in the order of the official verifier and counts signatures like it: both give up at the same point.
 * @param time Unix seconds.
 */
export function* findPaths<C extends ProfiledCertificate, R extends ConstrainedRoot>(
  leaf: C,
  sent: readonly C[],
  authorities: ChainAuthorities<C, R>,
  time: number,
): Generator<CertificatePath<C, R>> {
  const left = { signatures: MAX_SIGNATURE_CHECKS, steps: MAX_STEPS };
  const relations = relationsOf(leaf, sent, time);
  const entityOf = (certificate: C) => relations.get(certificate)?.entity;
  const isIssued = (certificate: C, issuer: C | R): boolean => {
    if (left.signatures === 0) return false;
    left.signatures--;
    return authorities.isIssued(certificate, issuer);
  };
  /** From the root down. */
  const signaturesHold = (path: readonly C[], root: R): boolean =>
    path.reduceRight<C | R | null>(
      (issuer, certificate) => (issuer !== null && isIssued(certificate, issuer) ? certificate : null),
      root,
    ) !== null;
  const areNamesAllowed = (path: readonly C[], { constraints }: R): boolean =>
    constraints === undefined || path.every(({ profile }) => allowsNames(constraints, profile));

  function* extend(path: readonly [C, ...C[]]): Generator<CertificatePath<C, R>> {
    const last = path.at(-1) ?? leaf;
    for (const root of authorities.named(last.profile.issuer)) {
      if (signaturesHold(path, root) && areNamesAllowed(path, root)) yield { leaf, intermediates: path.slice(1), root };
    }
    const depth = path.length - 1;
    if (depth === MAX_INTERMEDIATES) return;
    for (const candidate of relations.get(last)?.issuers ?? []) {
      if (left.steps === 0 || left.signatures === 0) return;
      if (depth > (candidate.profile.pathLength ?? Number.POSITIVE_INFINITY)) continue;
      const isLoop = path.some((other) => entityOf(other) === entityOf(candidate));
      if (isLoop) continue;
      left.steps--;
      yield* extend([...path, candidate]);
    }
  }
  yield* extend([leaf]);
}

/** What is compared of a certificate. Names may be long, so each pair is compared once. */
interface Relations<C> {
  /** Those that may have issued it, by name and use. */
  readonly issuers: readonly C[];
  /** The first certificate of the same entity. A path through one twice is a loop (RFC 4158 section 5.2). */
  readonly entity: C;
}

function relationsOf<C extends ProfiledCertificate>(
  leaf: C,
  sent: readonly C[],
  time: number,
): ReadonlyMap<C, Relations<C>> {
  const authorities = sent.filter(({ profile }) => profile.ca && isUsable(profile, time));
  const all = [leaf, ...sent];
  const related = (certificate: C): Relations<C> => {
    const { issuer, subject, publicKey } = certificate.profile;
    const isSame = ({ profile }: C) => profile.subject === subject && profile.publicKey === publicKey;
    return {
      issuers: authorities.filter(({ profile }) => profile.subject === issuer),
      entity: all.find(isSame) ?? certificate,
    };
  };
  return new Map(all.map((certificate) => [certificate, related(certificate)]));
}

/** Valid at the time and good for TLS servers: leaf and intermediates must be both. */
export function isUsable(profile: CertificateProfile, time: number): boolean {
  return isValidAt(profile, time) && (profile.extendedKeyUsage?.includes(SERVER_AUTH_OID) ?? true);
}

export function isValidAt(profile: CertificateProfile, time: number): boolean {
  return profile.notBefore <= time && time <= profile.notAfter;
}

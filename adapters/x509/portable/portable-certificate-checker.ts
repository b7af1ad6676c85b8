import type {
  CertificateChecker,
  CertificateClaim,
  CertificateVerdict,
} from '../../../core/ports/certificate-checker.ts';
import { LIMITS } from '../../../core/web-proof/tlsnotary/limits.ts';
import { type ChainAuthorities, findPaths, isUsable, isValidAt } from '../chain-search.ts';
import { DerError } from '../der.ts';
import { hasUsage, KEY_USAGE } from '../extensions.ts';
import { NOT_FOR_SIGNATURES, tooMany } from '../refusals.ts';
import { isForServer } from '../server-names.ts';
import { type Anchor, createAnchors } from './anchors.ts';
import { type PortableCertificate, readCertificate } from './certificate.ts';
import { MOZILLA_ROOTS } from './mozilla-roots.ts';

export interface PortableCertificateCheckerOptions {
  /** Roots trusted besides Mozilla's: DER, or PEM text with one or more certificates. @default [] */
  readonly extraRoots?: readonly (string | Uint8Array)[];
  /** False trusts the extra roots only. @default true */
  readonly mozillaRoots?: boolean;
}

/**
 * Checks certificates in JavaScript alone, for browsers and edge runtimes: the rules of `createX509CertificateChecker`, without
 * the second opinion of pkijs.
 * @throws Error when an extra root is not a certificate.
 */
export function createPortableCertificateChecker(options: PortableCertificateCheckerOptions = {}): CertificateChecker {
  const { extraRoots = [], mozillaRoots = true } = options;
  const authorities = portableAuthorities(createAnchors(mozillaRoots ? MOZILLA_ROOTS : [], extraRoots));
  return {
    async check(claim) {
      try {
        return judge(claim, authorities);
      } catch (error) {
        if (!(error instanceof DerError)) throw error;
        return refuse(`a certificate is not acceptable: ${error.message}`);
      }
    },
  };
}

type Authorities = ChainAuthorities<PortableCertificate, Anchor>;

function portableAuthorities(named: (subject: string) => readonly Anchor[]): Authorities {
  return {
    named,
    isIssued({ signed, authorityKeyId }, issuer) {
      if ('profile' in issuer) {
        const { profile, subjectKeyId } = issuer;
        const mayIssue = hasUsage(profile, KEY_USAGE.certificateSigning);
        const isOther = authorityKeyId !== undefined && subjectKeyId !== undefined && authorityKeyId !== subjectKeyId;
        if (!mayIssue || isOther) return false;
      }
      const key = 'profile' in issuer ? issuer.key : issuer.anchorKey;
      return key.isStrong && key.verify(signed.method, signed.message, signed.signature);
    },
  };
}

function judge(claim: CertificateClaim, authorities: Authorities): CertificateVerdict {
  const { certificates, serverName, time, keyExchange } = claim;
  const [first, ...rest] = certificates;
  if (first === undefined) return refuse('there is no server certificate');
  if (certificates.length > LIMITS.certificates) return refuse(tooMany(certificates.length));
  if (Number.isNaN(new Date(time * 1000).getTime())) return refuse("the session's time is out of range");
  const leaf = readCertificate(first);
  if (leaf.profile.ca) return refuse('the server certificate is a CA certificate');
  if (!isForServer(leaf.profile.subjectAltName, serverName)) {
    return refuse(`the server certificate is not for ${serverName}`);
  }
  if (!isValidAt(leaf.profile, time)) return refuse("the server certificate is not valid at the session's time");
  if (!isUsable(leaf.profile, time)) return refuse('the server certificate is not for TLS servers');
  if (!hasUsage(leaf.profile, KEY_USAGE.digitalSignature)) return refuse(NOT_FOR_SIGNATURES);
  if (!leaf.key.isStrong) return refuse('the key of the server certificate is too weak or not supported');
  if (findPaths(leaf, readable(rest), authorities, time).next().done) {
    return refuse("no certificate chain to a trusted root holds at the session's time");
  }
  if (!leaf.key.verify(keyExchange.scheme, keyExchange.message, keyExchange.signature)) {
    return refuse("the server's signature over the key exchange does not hold");
  }
  return { ok: true };
}

/** Certificates besides the leaf may be superfluous: the ones that nobody could use are left out. */
function readable(ders: readonly Uint8Array[]): PortableCertificate[] {
  return ders.flatMap((der) => {
    try {
      return [readCertificate(der)];
    } catch (error) {
      if (error instanceof DerError) return [];
      throw error;
    }
  });
}

function refuse(reason: string): CertificateVerdict {
  return { ok: false, reason };
}

import { constants, verify, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { CertificateChecker, CertificateClaim, CertificateVerdict } from '../../core/ports/certificate-checker.ts';
import { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';
import { AcceptedChains } from './accepted-chains.ts';
import { readProfile } from './certificate-profile.ts';
import { findPaths, isUsable, isValidAt } from './chain-search.ts';
import { DerError } from './der.ts';
import { hasUsage, KEY_USAGE } from './extensions.ts';
import { isStrongKey, type NodeCertificatePath, nodeAuthorities, type SentCertificate } from './node-certificates.ts';
import { NOT_FOR_SIGNATURES, tooMany } from './refusals.ts';
import { createSecondOpinion, type SecondOpinion } from './second-opinion.ts';
import { isForServer } from './server-names.ts';
import { loadTrustedRoots, type TrustedRoots } from './trusted-roots.ts';

const optionsSchema = z.strictObject({
  /** Roots trusted besides Node's: DER, or PEM text with one or more certificates. @default [] */
  extraRoots: z.array(z.union([z.string(), z.custom<Uint8Array>((value) => value instanceof Uint8Array)])).default([]),
  /** False trusts the extra roots only. @default true */
  nodeRoots: z.boolean().default(true),
});

/** What `createX509CertificateChecker` takes. */
export type X509CertificateCheckerOptions = z.input<typeof optionsSchema>;

/** Paths that are put to the second checker before giving up. */
const MAX_SECOND_OPINIONS = 4;

/**
 * Checks with Node's crypto, a strict DER reader and pkijs: all must agree. Stricter than needed where the libraries are
 * (key usage of issuers, authority key identifiers, Ed25519 issuers).
 * @throws Error when an extra root is not a certificate.
 */
export function createX509CertificateChecker(options: X509CertificateCheckerOptions = {}): CertificateChecker {
  const { extraRoots, nodeRoots } = optionsSchema.parse(options);
  const roots = loadTrustedRoots(extraRoots, nodeRoots);
  const authorities = { roots, secondOpinion: createSecondOpinion(), accepted: new AcceptedChains() };
  return {
    async check(claim) {
      try {
        return await judge(claim, authorities);
      } catch (error) {
        // Node's parser and getters throw on some hostile input.
        const reason = error instanceof DerError ? error.message : 'it cannot be read';
        return refuse(`a certificate is not acceptable: ${reason}`);
      }
    },
  };
}

interface Authorities {
  readonly roots: TrustedRoots;
  readonly secondOpinion: SecondOpinion;
  readonly accepted: AcceptedChains;
}

async function judge(claim: CertificateClaim, authorities: Authorities): Promise<CertificateVerdict> {
  const { certificates, serverName, time, keyExchange } = claim;
  const [first] = certificates;
  if (first === undefined) return refuse('there is no server certificate');
  if (certificates.length > LIMITS.certificates) return refuse(tooMany(certificates.length));
  if (Number.isNaN(new Date(time * 1000).getTime())) return refuse("the session's time is out of range");
  const known = authorities.accepted.leafOf(certificates, time);
  // A copy: one that is remembered must not hold on to the whole presentation.
  const leaf = known ?? parse(Uint8Array.from(first));
  if (leaf.profile.ca || leaf.x509.ca) return refuse('the server certificate is a CA certificate');
  if (!isForServer(leaf.profile.subjectAltName, serverName)) {
    return refuse(`the server certificate is not for ${serverName}`);
  }
  if (known === undefined) {
    const problem = await problemOfChain(leaf, claim, authorities);
    if (problem !== null) return refuse(problem);
  }
  if (!keyExchangeHolds(leaf.x509, keyExchange)) {
    return refuse("the server's signature over the key exchange does not hold");
  }
  return { ok: true };
}

/** Why the certificates are not acceptable at the session's time, whatever the server is called; null if they are. */
async function problemOfChain(
  leaf: SentCertificate,
  { certificates, time }: CertificateClaim,
  { roots, secondOpinion, accepted }: Authorities,
): Promise<string | null> {
  if (!isValidAt(leaf.profile, time)) return "the server certificate is not valid at the session's time";
  if (!isUsable(leaf.profile, time)) return 'the server certificate is not for TLS servers';
  if (!hasUsage(leaf.profile, KEY_USAGE.digitalSignature)) return NOT_FOR_SIGNATURES;
  if (!isStrongKey(leaf.x509)) return 'the key of the server certificate is too weak or not supported';
  const others = readable(certificates.slice(1));
  const paths = findPaths(leaf, others, nodeAuthorities(roots), time);
  if (!(await isAnyAccepted(paths, secondOpinion, new Date(time * 1000)))) {
    return "no certificate chain to a trusted root holds at the session's time";
  }
  accepted.add(certificates, time, leaf, others);
  return null;
}

async function isAnyAccepted(
  paths: Iterable<NodeCertificatePath>,
  secondOpinion: SecondOpinion,
  date: Date,
): Promise<boolean> {
  let asked = 0;
  for (const path of paths) {
    if (await secondOpinion.accepts(path, date)) return true;
    asked++;
    if (asked === MAX_SECOND_OPINIONS) break;
  }
  return false;
}

function parse(der: Uint8Array): SentCertificate {
  const profile = readProfile(der);
  return { profile, x509: new X509Certificate(der) };
}

/** Certificates besides the leaf may be superfluous: the ones that nobody could use are left out. */
function readable(ders: readonly Uint8Array[]): SentCertificate[] {
  return ders.flatMap((der) => {
    try {
      return [parse(der)];
    } catch {
      return [];
    }
  });
}

function keyExchangeHolds(
  leaf: X509Certificate,
  { scheme, message, signature }: CertificateClaim['keyExchange'],
): boolean {
  const key = leaf.publicKey;
  if (key.asymmetricKeyType !== scheme.key) return false;
  const options =
    scheme.padding === 'pss'
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { key };
  try {
    return verify(scheme.hash, message, options, signature);
  } catch {
    return false;
  }
}

function refuse(reason: string): CertificateVerdict {
  return { ok: false, reason };
}

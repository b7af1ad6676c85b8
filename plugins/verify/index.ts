/**
 * Verifies web proofs wherever JavaScript runs: Node.js, edge runtimes and browsers, without WebAssembly and without a server.
 *
 *     const verify = createWebProofVerifier({ trustedNotaries: [{ fingerprint: '…' }] });
 *     const { serverDomain, response, notaryTrusted, hostConfirmed } = await verify(proof);
 */
import { createWebContentDecoder } from '../../adapters/web-decoder/index.ts';
import { createPortableCertificateChecker } from '../../adapters/x509/portable/portable-certificate-checker.ts';
import { DomainError } from '../../core/errors.ts';
import { createTrustedPeriods, LAST_SECOND, type TrustedNotaries } from '../../core/web-proof/trusted-periods.ts';
import { toVerifiedTranscriptV2, type VerifiedTranscriptV2 } from '../../core/web-proof/verified-transcript.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';

export { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';

/** What a valid proof shows: `data` of `POST /api/v2.0/verify`. Hidden bytes are `X`. */
export type VerifiedTranscript = VerifiedTranscriptV2;

/** A web proof as `prove` returns it. `meta` is not read. */
export interface WebProof {
  /** The presentation in hex. */
  readonly data: string;
  readonly version: string;
  readonly meta?: unknown;
}

/** A key of a notary whose proofs are believed. */
export interface TrustedNotary {
  /** SHA-256 of the compressed public key, 64 hex digits. */
  readonly fingerprint: string;
  /** Unix seconds; inclusive. */
  readonly validFrom?: number;
  /** Unix seconds; exclusive. */
  readonly validUntil?: number;
  /** For people. */
  readonly name?: string;
}

/** Whom `createWebProofVerifier` believes. */
export interface WebProofVerifierOptions {
  /** `notaryTrusted` is true for proofs of these keys only. @default [] */
  readonly trustedNotaries?: readonly TrustedNotary[];
  /** Roots trusted besides Mozilla's: DER, or PEM text with one or more certificates. @default [] */
  readonly extraRoots?: readonly (string | Uint8Array)[];
  /** False trusts the extra roots only. @default true */
  readonly mozillaRoots?: boolean;
}

/**
 * Verifies a web proof. A complete check also looks at `notaryTrusted` and `hostConfirmed` of what it returns, and at server, request
 * and time. A body in Brotli is null here; `raw` has its bytes.
 * @throws DomainError `INVALID_REQUEST` for what is no web proof of a known version
 * @throws DomainError `INVALID_PRESENTATION` for data that cannot be decoded
 * @throws DomainError `INTERNAL_SERVER_ERROR` for a proof that is not true; the message names the failed check
 */
export type VerifyWebProof = (webProof: WebProof) => Promise<VerifiedTranscript>;

/**
 * Makes a verifier, for many proofs.
 * @example
 * ```ts
 * import { createWebProofVerifier, type WebProof } from '@credence/verify';
 *
 * const verify = createWebProofVerifier({ trustedNotaries: [{ fingerprint: 'ab'.repeat(32) }] });
 * export async function bodyOf(proof: WebProof): Promise<string | null> {
 *   const { serverDomain, request, response, notaryTrusted, hostConfirmed } = await verify(proof);
 *   const isOurs = notaryTrusted && hostConfirmed && serverDomain === 'api.example' && request.url === '/v1/me';
 *   return isOurs ? response.body : null;
 * }
 * ```
 * @throws TypeError for malformed or unknown options and keys of notaries, Error for an extra root that is not a certificate
 */
export function createWebProofVerifier(options: WebProofVerifierOptions = {}): VerifyWebProof {
  const { trustedNotaries = [], extraRoots = [], mozillaRoots = true } = options;
  refuseUnknown('The options', options, ['trustedNotaries', 'extraRoots', 'mozillaRoots']);
  for (const [name, list] of Object.entries({ trustedNotaries, extraRoots })) {
    if (!Array.isArray(list)) throw new TypeError(`${name} must be a list.`);
  }
  const verify = createVerifyWebProof({
    certificates: createPortableCertificateChecker({ extraRoots, mozillaRoots }),
    decoder: createWebContentDecoder(),
    trustedNotaries: trusted(trustedNotaries),
  });
  return async (webProof) => toVerifiedTranscriptV2(await verify(readWebProof(webProof)));
}

/**
 * As `createWebProofVerifier(options)(webProof)`, for a single proof.
 * @throws what `createWebProofVerifier` and `VerifyWebProof` throw
 */
export async function verifyWebProof(
  webProof: WebProof,
  options: WebProofVerifierOptions = {},
): Promise<VerifiedTranscript> {
  return createWebProofVerifier(options)(webProof);
}

/** A misspelled end of trust would be none. */
function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${what}: ${unknown} is none of ${known.join(', ')}.`);
}

function trusted(notaries: readonly TrustedNotary[]): TrustedNotaries {
  return createTrustedPeriods(
    notaries.map((notary, index) => {
      const { fingerprint, validFrom, validUntil } = notary;
      if (typeof fingerprint !== 'string' || !/^[0-9a-f]{64}$/i.test(fingerprint)) {
        throw new TypeError(`trustedNotaries.${index}.fingerprint must be 64 hex digits.`);
      }
      refuseUnknown(`trustedNotaries.${index}`, notary, ['fingerprint', 'validFrom', 'validUntil', 'name']);
      for (const [name, time] of Object.entries({ validFrom, validUntil })) {
        if (time !== undefined && !(Number.isSafeInteger(time) && time <= LAST_SECOND)) {
          throw new TypeError(`trustedNotaries.${index}.${name} must be whole Unix seconds.`);
        }
      }
      return { fingerprint: fingerprint.toLowerCase(), validFrom, validUntil };
    }),
  );
}

function readWebProof(webProof: unknown): Parameters<ReturnType<typeof createVerifyWebProof>>[0] {
  const proof = typeof webProof === 'object' && webProof !== null ? webProof : {};
  if (!('data' in proof) || typeof proof.data !== 'string' || !('version' in proof)) {
    throw new DomainError('INVALID_REQUEST', 'A web proof is an object with data (hex) and version.');
  }
  // The use case refuses an unknown version, and does not read `meta`.
  return proof as Parameters<ReturnType<typeof createVerifyWebProof>>[0];
}

/** `prove --blind`: the request is made in this process, together with a blind notary. Loaded when it is needed. */
import { createEgressGuard } from '../../adapters/egress-guard/index.ts';
import { createMpcNotary } from '../../adapters/mpc-notary/index.ts';
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { isDomainError } from '../../core/errors.ts';
import { plainIssues } from '../../core/plain-issue.ts';
import type { MpcProver } from '../../core/ports/mpc-tls.ts';
import type { BlindProgress } from '../../core/web-proof/blind/prove-blind.ts';
import { notarizeRequestSchema } from '../../core/web-proof/prove-request.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';
import type { WebProof } from '../../core/web-proof/web-proof.ts';
import { RefusedError, type Target } from './call.ts';
import { checkFingerprint } from './trust-options.ts';
import { UsageError } from './usage-error.ts';

export interface BlindProveOptions {
  /** The notary, and a token that it accepts. */
  readonly notary: Target;
  /** Of the notary's key, hex. */
  readonly fingerprint: string | undefined;
  /** PEM roots trusted besides Node's own when the server is probed. */
  readonly roots: readonly string[];
  /** CIDRs that may be reached besides public addresses. */
  readonly allow: readonly string[];
  readonly onProgress: (progress: BlindProgress) => void;
  readonly signal: AbortSignal;
  /** @default TLSNotary's */
  readonly prover?: MpcProver;
}

/** Bytes as people read them, and seconds. */
export function describeProgress({ phase, seconds, sentBytes, receivedBytes }: BlindProgress): string {
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  return `${phase.padEnd(6)}  ${seconds.toFixed(1)} s  ${mib(sentBytes)} MiB sent, ${mib(receivedBytes)} MiB received`;
}

/**
 * Makes a blind proof.
 * @throws UsageError for a request or options that cannot be used; RefusedError if the notary or the server cannot be proven with
 */
export async function proveBlind(body: unknown, options: BlindProveOptions): Promise<WebProof> {
  const { notary: target, fingerprint, roots, allow, onProgress, signal, prover } = options;
  if (target.token === undefined) throw new UsageError('Give a token of the notary: --token or CREDENCE_TOKEN.');
  if (fingerprint === undefined) throw new UsageError("Give the fingerprint of the notary's key: --fingerprint.");
  checkFingerprint('--fingerprint', fingerprint);
  const request = notarizeRequestSchema.safeParse(body);
  if (!request.success) throw new UsageError(`The request cannot be proven: ${plainIssues(request.error)}.`);
  const certificates = createX509CertificateChecker({ extraRoots: [...roots] });
  const decoder = createZlibContentDecoder();
  const verify = createVerifyWebProof({
    certificates,
    decoder,
    trustedNotaries: createTrustedNotaries([{ fingerprint }]),
    signatures: createNodeSignatureVerifier(),
  });
  const notary = createMpcNotary({
    url: target.url,
    token: target.token,
    fingerprint,
    guard: createEgressGuard({ allow: [...allow] }),
    certificates,
    extraRoots: roots,
    decoder,
    verify,
    onProgress,
    ...(prover === undefined ? {} : { prover }),
  });
  try {
    return await notary.notarize(request.data, signal);
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const { status, code, message, details, retryAfterSeconds = null } = error;
    throw new RefusedError({ status, code, message, details, requestId: null, retryAfterSeconds });
  } finally {
    await notary.close();
  }
}

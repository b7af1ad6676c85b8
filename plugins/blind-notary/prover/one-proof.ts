/** One blind proof, made in this process without an instance. */
import { checkOptions, systemClock } from 'credence/kit';
import { createEgressGuard } from 'credence/kit/notaries';
import {
  createNodeSignatureVerifier,
  createTrustedNotaries,
  createVerifyWebProof,
  createX509CertificateChecker,
  createZlibContentDecoder,
} from 'credence/kit/verify';
import type { NotarizeRequest, WebProof } from 'credence/ports';
import type { MpcProver } from '../mpc-tls.ts';
import { type MpcNotaryOptions, mpcNotaryOptions } from '../options.ts';
import { createMpcNotary } from './mpc-notary.ts';
import type { BlindProgress } from './prove-blind.ts';

/** What `proveBlind` takes. */
export interface BlindProveOptions extends Pick<MpcNotaryOptions, 'url' | 'token' | 'fingerprint'> {
  /** PEM roots trusted besides Node's own when the server is probed. */
  readonly roots: readonly string[];
  /** CIDRs that may be reached besides public addresses. */
  readonly allow: readonly string[];
  readonly onProgress: (progress: BlindProgress) => void;
  readonly signal: AbortSignal;
  /** @default TLSNotary's */
  readonly prover?: MpcProver | undefined;
}

/**
 * Makes a request together with a blind notary, and proves it.
 * @throws ConfigurationError for unusable options; DomainError if the notary or the server cannot be proven with
 */
export async function proveBlind(request: NotarizeRequest, options: BlindProveOptions): Promise<WebProof> {
  const { url, token, fingerprint, roots, allow, onProgress, signal, prover } = options;
  const settings = checkOptions('proveBlind', mpcNotaryOptions, { url, token, fingerprint });
  const certificates = createX509CertificateChecker({ extraRoots: [...roots] });
  const decoder = createZlibContentDecoder();
  const notary = createMpcNotary(settings, {
    guard: createEgressGuard({ allow: [...allow] }),
    certificates,
    extraRoots: roots,
    decoder,
    verify: createVerifyWebProof({
      certificates,
      decoder,
      trustedNotaries: createTrustedNotaries([{ fingerprint }]),
      signatures: createNodeSignatureVerifier(),
    }),
    clock: systemClock,
    onProgress,
    prover,
  });
  try {
    return await notary.notarize(request, signal);
  } finally {
    await notary.close();
  }
}

/** `prove --blind`: the request is made in this process, together with a blind notary. Loaded when it is needed. */
import type { BlindProgress, BlindProveOptions as ProverOptions } from '@credence/blind-notary';
import { ConfigurationError } from 'credence';
import { isDomainError, plainIssues } from 'credence/kit';
import { notarizeRequestSchema } from 'credence/kit/notaries';
import type { WebProof } from 'credence/ports';
import { RefusedError, type Target } from './call.ts';
import { fromPackage } from './optional-package.ts';
import { checkFingerprint } from './proof-options.ts';
import { UsageError } from './usage-error.ts';

export interface BlindProveOptions extends Omit<ProverOptions, 'url' | 'token' | 'fingerprint'> {
  /** The notary, and a token that it accepts. */
  readonly notary: Target;
  /** Of the notary's key, hex. */
  readonly fingerprint: string | undefined;
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
  const { notary, fingerprint, ...others } = options;
  const { url, token } = notary;
  if (token === undefined) throw new UsageError('Give a token of the notary: --token or CREDENCE_TOKEN.');
  if (fingerprint === undefined) throw new UsageError("Give the fingerprint of the notary's key: --fingerprint.");
  checkFingerprint('--fingerprint', fingerprint);
  const request = notarizeRequestSchema.safeParse(body);
  if (!request.success) throw new UsageError(`The request cannot be proven: ${plainIssues(request.error)}.`);
  const prover = await fromPackage('--blind', '@credence/blind-notary', () => import('@credence/blind-notary'));
  try {
    return await prover.proveBlind(request.data, { ...others, url, token, fingerprint });
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    if (!isDomainError(error)) throw error;
    const { status, code, message, details, retryAfterSeconds = null } = error;
    throw new RefusedError({ status, code, message, details, requestId: null, retryAfterSeconds });
  }
}

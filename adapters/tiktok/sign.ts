import { DomainError } from '../../core/errors.ts';
import type { SignRequest } from './options.ts';

/** Rejects when the signal fires, for signers that do not heed it. */
function abortOf(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  aborted.catch(() => undefined);
  return aborted;
}

/**
 * Signs the address of an API request.
 * @throws `PLATFORM_UNAVAILABLE` when the signer fails, or when it would send the request somewhere else
 */
export async function signUrl(
  sign: SignRequest,
  url: string,
  context: { readonly userAgent: string; readonly signal: AbortSignal },
): Promise<string> {
  const failed = (cause?: unknown): DomainError =>
    new DomainError('PLATFORM_UNAVAILABLE', 'The request to TikTok could not be signed; check the configured signer.', {
      details: { reason: 'sign-failed', platform: 'tiktok' },
      cause,
    });
  let result: string;
  try {
    result = await Promise.race([sign(url, context), abortOf(context.signal)]);
  } catch (error) {
    throw failed(error);
  }
  if (typeof result !== 'string' || !URL.canParse(result)) throw failed();
  const [before, after] = [new URL(url), new URL(result)];
  if (before.origin !== after.origin || before.pathname !== after.pathname) throw failed();
  return after.href;
}

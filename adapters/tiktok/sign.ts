import { DomainError } from '../../core/errors.ts';
import type { CallTime } from '../scraping/index.ts';
import type { SignRequest } from './options.ts';

/**
 * Signs the address of an API request. Leaves a signer that does not heed the call's end.
 * @throws `PLATFORM_UNAVAILABLE` when the signer fails, or when it would send the request somewhere else
 */
export async function signUrl(sign: SignRequest, url: string, userAgent: string, time: CallTime): Promise<string> {
  const failed = (cause?: unknown): DomainError =>
    new DomainError('PLATFORM_UNAVAILABLE', 'The request to TikTok could not be signed; check the configured signer.', {
      details: { reason: 'sign-failed', platform: 'tiktok' },
      cause,
    });
  const signing = (async () => await sign(url, { userAgent, signal: time.signal }))();
  const result = await time.orEnd(signing).catch((error: unknown) => {
    time.check();
    throw failed(error);
  });
  if (typeof result !== 'string' || !URL.canParse(result)) throw failed();
  const [before, after] = [new URL(url), new URL(result)];
  if (before.origin !== after.origin || before.pathname !== after.pathname) throw failed();
  return after.href;
}

/** What an API says against a token or a post. */
import { isDomainError } from '../../core/errors.ts';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { Refusal } from '../../core/ports/official-api.ts';
import { clearRefusal, type Verdict } from '../scraping/index.ts';

const WHY: Readonly<Record<Refusal, string>> = {
  expired: 'The access to the account has expired: connect it again.',
  revoked: 'The owner of the account has withdrawn the access: connect it again.',
  scope: 'The account was connected without a permission that this needs: connect it again and allow it.',
};

/** The owner has to connect the account again. */
export function tokenRefused({ name, label }: PlatformDescriptor, why: Refusal): Verdict<never> {
  return clearRefusal(name, 'PLATFORM_UNAVAILABLE', `${label}: ${WHY[why]}`, `token-${why}`);
}

/** Why a call has failed if it was for the token, else null. */
export function refusalIn(error: unknown): Refusal | null {
  const reason = isDomainError(error, 'PLATFORM_UNAVAILABLE') ? error.details?.reason : undefined;
  return (Object.keys(WHY) as Refusal[]).find((why) => reason === `token-${why}`) ?? null;
}

/** The API has no such post any more. */
export function postGone({ name, label }: PlatformDescriptor): Verdict<never> {
  return clearRefusal(name, 'POST_NOT_FOUND', `This post does not exist on ${label} any more.`, 'not-found');
}

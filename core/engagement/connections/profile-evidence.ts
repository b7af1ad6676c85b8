/**
 * What in a web proof shows that somebody controls a profile. Two things do, and nothing else:
 * - the one-time code in the bio of the profile that was asked for, in an answer that a platform's rules name;
 * - the platform's answer about the account that is logged in, to a request that shows the code.
 */
import type { PlatformDescriptor } from '../../platforms/descriptor.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';
import { allowedRequest, plainHandle } from './allowed-request.ts';
import { NoEvidence } from './no-evidence.ts';
import { isSafelyRedacted } from './safe-redaction.ts';
import { shownProfile } from './shown-profile.ts';

/** What the proof has to show. */
export interface ProfileClaim {
  /** The normalised handle that the request was opened for; null when any will do. */
  readonly handle: string | null;
  /** The request's one-time code. */
  readonly code: string;
}

export type ProfileEvidence =
  | {
      readonly shown: true;
      /** Normalised. */
      readonly handle: string;
      /** Stable across handle changes; null when the answer has none, and it has to be looked up by the handle. */
      readonly accountId: string | null;
    }
  | { readonly shown: false; readonly reason: string };

/** Judges a verified proof by the rules of the platform that it should be from. */
export async function profileEvidence(
  proof: VerifiedWebProof,
  platform: PlatformDescriptor,
  claim: ProfileClaim,
): Promise<ProfileEvidence> {
  try {
    return { shown: true, ...evidenceOf(proof, platform, claim) };
  } catch (error) {
    if (error instanceof NoEvidence) return { shown: false, reason: error.message };
    throw error;
  }
}

/** What shows the control. @throws NoEvidence if nothing does */
function evidenceOf(
  proof: VerifiedWebProof,
  platform: PlatformDescriptor,
  claim: ProfileClaim,
): Pick<ProfileEvidence & { shown: true }, 'handle' | 'accountId'> {
  if (!proof.notaryTrusted) throw new NoEvidence('its notary is not a trusted one');
  const request = allowedRequest(proof, platform, claim.code);
  if (!isSafelyRedacted(proof)) {
    throw new NoEvidence(
      'what it hides could be another request or answer: hide nothing but values of request headers',
    );
  }
  const profile = shownProfile(proof, request.endpoint);
  const handle = plainHandle(profile.handle, platform);
  if (request.kind === 'profile' && handle !== request.handle) {
    throw new NoEvidence(`it asks about @${request.handle}, and the answer is about @${handle}`);
  }
  if (claim.handle !== null && handle !== claim.handle) {
    throw new NoEvidence(`it is about @${handle}, not about @${claim.handle}`);
  }
  if (request.kind === 'profile' && !profile.bio?.includes(claim.code)) {
    throw new NoEvidence(`the code is not in the bio of @${handle}`);
  }
  return { handle, accountId: profile.accountId };
}

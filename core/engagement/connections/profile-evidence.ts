/**
 * What in a web proof shows that somebody controls a profile. Two things do, and nothing else:
 * - the one-time code in the bio of the profile that was asked for, in an answer that a platform's rules name;
 * - the platform's answer about the account that is logged in, to a request that shows the code.
 */
import type { PlatformDescriptor } from '../../platforms/descriptor.ts';
import { hasSignedValues } from '../../web-proof/attested-values/signed-values.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';
import { allowedRequest, plainHandle } from './allowed-request.ts';
import { NoEvidence } from './no-evidence.ts';
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

/**
 * Whether nothing that a web proof hides can change what it says. Some notaries let the prover choose the hidden bytes. A hidden
 * line end inside a cookie starts a second request; one inside a response header a second answer. The parser then sees one
 * exchange while the server had two. Hidden quotes turn a body into other JSON, so that the parser sees another value.
 *
 * There are two cases in which it cannot:
 * - The response is all visible and the request hides only within values of its headers. Whatever else was sent there, a
 *   response that is one message from end to end answers the first request, whose line is visible.
 * - The notary made the request and signed the values that the response shows. Such a notary hides values only, and they are the
 *   ones it saw. A blind notary saw as little of what is hidden as we do.
 */
function isSafelyRedacted(proof: VerifiedWebProof): boolean {
  return hidesHeaderValuesOnly(proof) || (proof.notarization !== 'blind' && hasSignedValues(proof));
}

function hidesHeaderValuesOnly({ transcript, request }: VerifiedWebProof): boolean {
  const { sent, received } = transcript;
  return (
    received.hidden.length === 0 &&
    sent.hidden.every(({ start, end }) =>
      request.headers.some(({ valueRange }) => valueRange.start <= start && end <= valueRange.end),
    )
  );
}

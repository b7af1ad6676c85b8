/** A web proof of somebody's own profile links the account with ownership proven. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError, isDomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import { type Platforms, platformOf } from '../../platforms/platforms.ts';
import type { ConnectionStore } from '../../ports/connection-store.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import type { VerifiedWebProof, VerifyWebProof, WebProof } from '../../web-proof/verify.ts';
import type { SocialAccount } from '../creators/creator.ts';
import type { Needs } from '../use-case-parts.ts';
import { changeRequest } from './check-connection.ts';
import { type ConnectionRequest, noConnectionRequest } from './connection.ts';
import { linkProven } from './link-proven.ts';
import { profileEvidence } from './profile-evidence.ts';

/** How long a proof is remembered; requests live for half an hour, so it could not be of use longer. */
const REMEMBER_MS = 24 * 60 * 60_000;

/** By how much the clock of a notary may differ from ours. */
const CLOCK_TOLERANCE_MS = 30_000;

/** The platforms' rules of ownership count; their readers look up the account id of a handle if the proof does not show it. */
export interface AcceptWebProofDeps
  extends Needs<'connections' | 'locks' | 'creators', 'platforms' | 'clock' | 'relay'> {
  readonly verify: VerifyWebProof;
}

/** Takes a proof that answers a connection request. */
export type AcceptWebProof = (
  input: { readonly requestId: string; readonly webProof: WebProof },
  options?: PlatformCallOptions,
) => Promise<{ request: ConnectionRequest; account: SocialAccount }>;

/**
 * The caller has checked who sent it. A proof is good for one request, and only if it was made while that request was
 * open. The link records the platform's stable account id, and is announced (`account.connected`). Safe to repeat: a proof
 * sent again for its request finishes what an earlier call began. If the request is connected, the answer is as before, and
 * the account is not linked again, since it may have been disconnected.
 * @throws DomainError `NOT_FOUND` (no such request); `CONFLICT` (finished otherwise, expired, or the proof was used for
 * another request); `INVALID_PRESENTATION`; `VALIDATION_ERROR` (the proof does not hold, or does not show the profile); the
 * platform's failures if the account id has to be looked up
 */
export function acceptWebProof(deps: AcceptWebProofDeps): AcceptWebProof {
  const { verify, clock } = deps;
  const { connections, locks } = deps.storage;
  return async ({ requestId, webProof }, options) => {
    const request = await connections.find(requestId);
    if (request === null) throw noConnectionRequest();
    const now = clock.now();
    const verified = () =>
      verifiedBy(webProof, (proof) =>
        verify(proof, { caller: `creator:${request.externalId}`, signal: options?.signal }),
      );
    if (request.status === 'connected') return accepted(deps, request, await verified(), now);
    if (request.status !== 'pending') throw finished();
    if (request.expiresAt <= now)
      throw new DomainError('CONFLICT', 'The connection request has expired: start a new one.');

    const proof = await verified();
    const holder = await locks.holderOf(keyOf(proof), now);
    if (holder !== null && holder !== request.id) throw used();
    const evidence = await profileEvidence(proof, deps.platforms.describe(request.platform), request);
    if (!evidence.shown) throw refused(evidence.reason);
    const madeAt = proof.tlsTimestamp * 1000;
    if (madeAt < request.createdAt.getTime() - CLOCK_TOLERANCE_MS || madeAt > now.getTime() + CLOCK_TOLERANCE_MS) {
      throw refused('it was not made while the connection request was open');
    }
    const platformAccountId =
      evidence.accountId ??
      (await lookUpAccountId(deps.platforms, request.platform, evidence.handle, {
        ...options,
        caller: `creator:${request.externalId}`,
      }));
    // Before its effect, so that it has one only; for this request, so that a call which dies here can be repeated.
    if (!(await locks.claimOnce(keyOf(proof), new Date(now.getTime() + REMEMBER_MS), now, request.id))) {
      throw used();
    }
    const { handle } = evidence;
    const proven = { handle, platformAccountId, displayName: null, profileData: {}, now };
    const account = await linkProven(deps, request, 'web_proof', proven);
    return { request: await finish(connections, request, account), account };
  };
}

/** The outcome of an earlier call, when it was this proof that connected the request. */
async function accepted(
  { storage: { locks, creators }, platforms }: AcceptWebProofDeps,
  request: ConnectionRequest,
  proof: VerifiedWebProof,
  now: Date,
): Promise<{ request: ConnectionRequest; account: SocialAccount }> {
  const evidence = await profileEvidence(proof, platforms.describe(request.platform), request);
  // The evidence too: the call that claimed the proof may have died, and the bio have shown another handle since.
  if (!evidence.shown || (await locks.holderOf(keyOf(proof), now)) !== request.id) throw finished();
  const creator = await creators.find({ externalId: request.externalId });
  const accounts = creator && (await creators.accountsOf(creator.id));
  const account = accounts?.find(({ id }) => id === request.accountId);
  if (account === undefined) throw finished();
  return { request, account };
}

/** The account is linked: the request is connected, whatever looks at the bio came to meanwhile. */
async function finish(
  connections: ConnectionStore,
  { id }: ConnectionRequest,
  { id: accountId, platformUsername: handle }: SocialAccount,
): Promise<ConnectionRequest> {
  const connected = { handle, status: 'connected', accountId } as const;
  const request = await changeRequest(connections, id, ({ status }) => (status === 'connected' ? null : connected));
  if (request?.accountId !== accountId) throw finished();
  return request;
}

function used(): DomainError {
  return new DomainError('CONFLICT', 'This web proof has been used already.');
}

function finished(): DomainError {
  return new DomainError('CONFLICT', 'The connection request is finished already.');
}

/** The account that has the handle now. @throws DomainError `VALIDATION_ERROR` for an empty profile, and the platform's failures */
async function lookUpAccountId(
  platforms: Platforms,
  platform: PlatformName,
  handle: string,
  options: PlatformCallOptions | undefined,
): Promise<string> {
  const profile = await platformOf(platforms, platform).getProfile(handle, options);
  if (profile === null || normaliseHandle(profile.handle) !== handle) {
    throw refused(`its answer has no account id, and ${platforms.labelOf(platform)} shows no profile for @${handle}`);
  }
  return profile.accountId;
}

async function verifiedBy(webProof: WebProof, verify: VerifyWebProof): Promise<VerifiedWebProof> {
  try {
    return await verify(webProof);
  } catch (error) {
    // Untrue, not our failure: the sender has to know that trying again is of no use.
    if (isDomainError(error, 'INTERNAL_SERVER_ERROR')) throw refused(error.message.replace(/\.$/, ''));
    throw error;
  }
}

/** Of what the notary signed: the same attestation can be presented in many ways. */
function keyOf({ presentation }: VerifiedWebProof): string {
  return `web-proof:${bytesToHex(presentation.header.root.value)}`;
}

function refused(reason: string): DomainError {
  return new DomainError('VALIDATION_ERROR', `The web proof does not prove the profile: ${reason}.`);
}

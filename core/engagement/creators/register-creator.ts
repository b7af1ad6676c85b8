import { isDomainError } from '../../errors.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import { monotonicMs } from '../../ports/clock.ts';
import type { LinkResult } from '../../ports/creator-store.ts';
import type { PlatformProfile } from '../../ports/platform.ts';
import { untilAborted } from '../../until-aborted.ts';
import type { Needs } from '../use-case-parts.ts';
import { assertedHandle } from './asserted-handle.ts';
import type { ProfileData } from './creator.ts';
import { placeholderEmail } from './placeholder-email.ts';
import { profileDataOf } from './profile-data.ts';

export interface RegisterCreatorDeps extends Needs<'creators', 'platforms' | 'clock' | 'logger'> {
  /** How long registering waits for the profile; 1,500 by default, 0 leaves it out. */
  readonly profileWaitMs?: number;
}

export interface RegisterCreatorInput {
  readonly externalId: string;
  readonly platform: PlatformName;
  readonly handle: string;
  readonly email?: string | null | undefined;
  readonly displayName?: string | null | undefined;
}

/** After the platform kept a registration waiting for nothing, the next ones do not ask it for this long. */
const PAUSE_MS = 30_000;

/**
 * Registers a creator when the externalId is new and links a handle; ownership is asserted, not checked. Idempotent by
 * externalId + platform + handle: an existing link is returned as stored, a disconnected one is connected again.
 *
 * A new link gets the profile's facts if the platform shows them within a moment, else `{}`. Registering never fails
 * because of the platform, and many registrations are not slowed down by one that does not answer. Of concurrent calls only
 * the one that made the link reads the profile.
 * @throws DomainError `INVALID_REQUEST` for text that cannot be a handle
 */
export function registerCreator(deps: RegisterCreatorDeps) {
  const { clock } = deps;
  const { creators } = deps.storage;
  /** Times of `monotonicMs`. */
  const pausedUntil = new Map<PlatformName, number>();

  async function profileOf(platform: PlatformName, handle: string, caller: string | undefined): Promise<ProfileData> {
    const now = monotonicMs(clock);
    if ((pausedUntil.get(platform) ?? 0) > now) return {};
    const seen = await glance(deps, platform, handle, caller);
    if (seen !== 'no-answer') return profileDataOf(seen);
    pausedUntil.set(platform, now + PAUSE_MS);
    return {};
  }

  return async (input: RegisterCreatorInput, caller?: string): Promise<LinkResult> => {
    const handle = assertedHandle(deps.platforms, input.platform, input.handle);
    const linked = await creators.link({
      externalId: input.externalId,
      email: input.email ?? placeholderEmail(input.externalId),
      displayName: input.displayName ?? null,
      platform: input.platform,
      handle,
      profileData: {},
      ownershipProven: false,
      now: clock.now(),
    });
    if (linked.outcome !== 'created') return linked;
    const profileData = await profileOf(input.platform, handle, caller);
    if (Object.keys(profileData).length === 0) return linked;
    await creators.replaceProfile(linked.account.id, profileData, profileData.profile_pic_url ?? null);
    return { ...linked, account: { ...linked.account, profileData } };
  };
}

/** The profile if it can be had in time; null when there is none to see. */
async function glance(
  { platforms, logger, clock, profileWaitMs = 1_500 }: RegisterCreatorDeps,
  name: PlatformName,
  handle: string,
  caller: string | undefined,
): Promise<PlatformProfile | null | 'no-answer'> {
  const platform = platforms.readers.get(name);
  if (platform === undefined || profileWaitMs === 0 || platforms.parseHandle(name, handle) === null) return null;
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(), profileWaitMs);
  const { signal } = tooLate;
  const deadline = new Date(clock.now().getTime() + profileWaitMs);
  const call = { signal, deadline, ...(caller === undefined ? {} : { caller }) };
  try {
    return await untilAborted(platform.getProfile(handle, call), signal);
  } catch (error) {
    logger.debug({ platform: name, err: error }, 'profile not read while registering');
    return isDomainError(error, 'PROFILE_NOT_FOUND', 'PROFILE_PRIVATE') ? null : 'no-answer';
  } finally {
    clearTimeout(timer);
  }
}

/** A public profile by handle; nothing is stored. */
import { DomainError } from '../errors.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import { type Platforms, platformOf } from '../platforms/platforms.ts';
import type { PlatformCallOptions, PlatformProfile } from '../ports/platform.ts';

/** `handle` is normalised. @throws DomainError `PROFILE_NOT_FOUND` and the failures of the Platform port */
export function readProfile({ platforms }: { readonly platforms: Platforms }) {
  return async (platform: PlatformName, handle: string, options?: PlatformCallOptions): Promise<PlatformProfile> => {
    const profile = await platformOf(platforms, platform).getProfile(handle, options);
    if (profile === null)
      throw new DomainError('PROFILE_NOT_FOUND', `${platforms.labelOf(platform)} shows no profile for @${handle}.`);
    return profile;
  };
}

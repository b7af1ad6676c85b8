import type { PlatformProfile } from '../../ports/platform.ts';
import type { ProfileData } from './creator.ts';

/** What is kept of a profile; a fact that the platform does not show is absent. An empty profile gives `{}`. */
export function profileDataOf(profile: PlatformProfile | null): ProfileData {
  if (profile === null) return {};
  const { followerCount, followingCount, profilePictureUrl, displayName, bio, isVerified } = profile;
  const { mediaCount, isPrivate, createdAt = null } = profile;
  return {
    ...(followerCount === null ? {} : { followers: followerCount }),
    ...(followingCount === null ? {} : { following: followingCount }),
    ...(profilePictureUrl ? { profile_pic_url: profilePictureUrl } : {}),
    ...(displayName ? { full_name: displayName } : {}),
    ...(bio ? { biography: bio } : {}),
    ...(isVerified === null ? {} : { is_verified: isVerified }),
    ...(mediaCount === null ? {} : { posts: mediaCount }),
    ...(isPrivate === null ? {} : { is_private: isPrivate }),
    ...(createdAt === null ? {} : { created_at: createdAt.toISOString() }),
  };
}

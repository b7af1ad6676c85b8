/** The platforms of the specification, for tests that need no adapter. */
import { instagramDescriptor } from '../../adapters/instagram/index.ts';
import { tiktokDescriptor } from '../../adapters/tiktok/index.ts';
import { canonicalUrl as tiktokUrl } from '../../adapters/tiktok/post-url.ts';
import { postRefOf } from '../../core/platforms/descriptor.ts';
import type { PlatformName } from '../../core/platforms/platform-name.ts';
import { createPlatforms, type Platforms } from '../../core/platforms/platforms.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { createPlatformRegistry } from '../../core/platforms/registry.ts';
import type { Platform, PlatformProfile } from '../../core/ports/platform.ts';

export const DESCRIPTORS = [instagramDescriptor, tiktokDescriptor] as const;
/** What a refusal has in it if the platform could not be read for this reason. */
export const unread = (reason: string) => ({ code: 'PLATFORM_UNAVAILABLE', details: { reason } });

export const REGISTRY = createPlatformRegistry(DESCRIPTORS);
export const PLATFORM_NAMES = ['instagram', 'tiktok'] as const;
export type SpecifiedPlatform = (typeof PLATFORM_NAMES)[number];

export const parsePostUrl = REGISTRY.parsePostUrl;
export const parseHandle = REGISTRY.parseHandle;

/** The registered platforms, read by these. */
export function platformsOf(...readers: readonly Platform[]): Platforms {
  return createPlatforms(DESCRIPTORS, readers);
}

/** The reference to a post known by its id; `user` is for TikTok's URLs. */
export function postRef(platform: PlatformName, contentId: string, user?: string): PostRef {
  const ref = postRefOf(REGISTRY.describe(platform), contentId);
  return platform === 'tiktok' ? { ...ref, canonicalUrl: tiktokUrl(contentId, user) } : ref;
}

/** A platform that shows profiles, and nothing else. */
export function showingProfiles(name: PlatformName, getProfile: Platform['getProfile']): Platform {
  const unused = () => Promise.reject(new Error('not scripted'));
  return {
    name,
    supports: { likers: false, replies: false },
    resolveShortLink: unused,
    getPost: unused,
    getComments: unused,
    getReplies: unused,
    getLikers: unused,
    getProfile,
    close: async () => {},
  };
}

/** The profile of @ada, of which nothing is shown but these. */
export function emptyProfile(changes: Partial<PlatformProfile> = {}): PlatformProfile {
  return {
    platform: 'instagram',
    handle: 'ada',
    accountId: '1',
    secUid: null,
    displayName: null,
    bio: null,
    profilePictureUrl: null,
    isVerified: null,
    isPrivate: null,
    followerCount: null,
    followingCount: null,
    mediaCount: null,
    ...changes,
  };
}

/** The two platforms (docs/specification/engagement.md#conventions); `instagram` is the "first platform" there. */
export const PLATFORM_NAMES = ['instagram', 'tiktok'] as const;

export type PlatformName = (typeof PLATFORM_NAMES)[number];

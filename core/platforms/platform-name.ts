/** The two platforms of the specification; `instagram` is its "first platform". */
export const PLATFORM_NAMES = ['instagram', 'tiktok'] as const;

export type PlatformName = (typeof PLATFORM_NAMES)[number];

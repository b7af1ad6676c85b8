/** The platforms that the standalone host knows. */

/** What the names of their environment variables begin with. */
export const PLATFORM_PREFIXES = ['INSTAGRAM_', 'TIKTOK_'] as const;

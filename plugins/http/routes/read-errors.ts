/** What reading a platform can be refused with, for the `errors` of rows. */

export const READ_ERRORS = [
  'SCRAPING_RATE_LIMITED',
  'NOT_SUPPORTED',
  'PLATFORM_UNAVAILABLE',
  'PLATFORM_TIMEOUT',
] as const;

/** Besides, of a post. */
export const POST_ERRORS = ['POST_NOT_FOUND', 'POST_PRIVATE', 'POST_AGE_RESTRICTED', 'POST_UNAVAILABLE'] as const;

/** Besides, of a profile. */
export const PROFILE_ERRORS = ['PROFILE_NOT_FOUND', 'PROFILE_PRIVATE'] as const;

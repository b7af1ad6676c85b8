/** Safe rates by class of endpoint. Burst plus an hour's refill stays within each. */
import type { Rate } from '../scraping/index.ts';

export const RATES = {
  /** Logged-out pages and share links: 75 an hour and address. */
  page: { burst: 25, refillEveryMs: 72_000, spacingMs: 1_500, concurrency: 2 },
  /** Logged-out GraphQL: 200 for each query in 11 minutes. */
  graphql: { burst: 50, refillEveryMs: 4_400, spacingMs: 1_000, concurrency: 1 },
  /** `web_profile_info` and rulings without a session: about 80 an hour and address. */
  'web-api': { burst: 20, refillEveryMs: 60_000, spacingMs: 1_500, concurrency: 1 },
  /** REST and GraphQL with a session: as for GraphQL above, spent by the session. */
  'session-api': { burst: 50, refillEveryMs: 4_400, spacingMs: 1_000, concurrency: 1 },
} as const satisfies Record<string, Rate>;

/** A class of endpoints that share a rate. */
export type EndpointClass = keyof typeof RATES;

/** What health, logs and errors go by. Queries have their id behind the name: a retired one says nothing of the next. */
export type Endpoint =
  | `${'post' | 'profile'}-page`
  | 'web-profile'
  | 'ruling'
  | 'media-info'
  | 'comments'
  | 'replies'
  | 'likers'
  | 'user-feed'
  | 'user-search'
  | 'user-info';

/** The persisted queries. */
export const QUERIES = {
  'post-query': { path: '/api/graphql', name: 'PolarisLoggedOutDesktopWWWPostRootContentQuery' },
  'shortcode-query': { path: '/graphql/query', name: 'PolarisPostRootQuery' },
  'comments-query': { path: '/api/graphql', name: 'PolarisLoggedOutDesktopWWWPostCommentsPaginationQuery' },
  'profile-query': { path: '/graphql/query', name: 'PolarisProfilePageContentQuery' },
} as const;

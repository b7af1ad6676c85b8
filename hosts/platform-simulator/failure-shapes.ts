/** Every way a simulated platform can refuse; what each looks like on the wire is the platform's simulator's business. */

/** Shapes that both platforms know. */
const COMMON = [
  /** The right answer, after `latencyMs`. */
  'slow',
  /** The request is read and never answered. */
  'hang',
  /** The connection is cut. */
  'reset',
  /** 429 with `Retry-After` when the rule gives one. */
  'rate-limited',
  /** 500 with a short text. */
  'server-error',
  /** 503 with an HTML error page. */
  'unavailable',
  /** 200 with a body of no bytes. */
  'empty-body',
  /** 200, HTML where JSON is expected. */
  'html-instead-of-json',
  /** 200, the right body cut in the middle. */
  'truncated',
  /** 200, readable, but the fields are gone or have other types. */
  'drifted',
  /** 200, an endless body. */
  'endless-body',
  /** A redirect to the login page. */
  'login-redirect',
  'not-found',
  'private',
  'age-restricted',
  /** A profile page that is readable and says nothing. */
  'empty-profile',
  /** Comment paging that hands out the same cursor again. */
  'repeated-cursor',
  /** Comment paging that hands out the same comments under new cursors. */
  'repeated-page',
  /** A page without comments that claims there are more. */
  'empty-page-with-more',
] as const;

const INSTAGRAM = [
  'login-wall',
  'throttled',
  'gated',
  'dead-session',
  'wait-a-few-minutes',
  'checkpoint',
  'challenge',
  'challenge-redirect',
  'feedback-required',
  'csrf-missing',
  'forbidden-html',
  'stale-doc-id',
  'deleted',
  'ok-without-user',
  'not-authorized',
  'hidden-counts',
] as const;

const TIKTOK = [
  'status-deleted',
  'status-self-see',
  'status-friend-see',
  'author-secret',
  'person-geo-fencing',
  'status-reviewing',
  'status-audit-not-pass',
  'copyright-geo-filter',
  'private-post',
  'private-account',
  'private-account-with-access',
  'user-gone',
  'user-banned',
  'gone',
  'cross-border',
  'login-required',
  'login-required-session',
  'captcha-code',
  'app-too-old',
  'verify',
  'classified-without-video',
  'waf',
  'waf-unsolvable',
  /** The firewall's page under the status 403. */
  'waf-forbidden',
  /** The post's page redirects to another address of the same post. */
  'moved',
  /** The post's page redirects to another post. */
  'moved-elsewhere',
  'captcha-page',
  'no-rehydration-data',
  'unknown-status',
] as const;

const DATA_PROVIDER = [
  /** 401. */
  'provider-key',
  /** 402. */
  'provider-credits',
  /** 403. */
  'provider-forbidden',
  /** 200 that says the provider itself failed. */
  'provider-error',
  /** 404 in the words of a server that does not know the path. */
  'unknown-route',
] as const;

export const FAILURE_SHAPES = [...COMMON, ...INSTAGRAM, ...TIKTOK, ...DATA_PROVIDER] as const;

export type FailureShape = (typeof FAILURE_SHAPES)[number];

/**
 * The ways in which a simulated platform can refuse or mislead, in one table. Each row says what it looks like on the wire and
 * what each reader of the platform makes of it. The simulator reads its shapes from here; the tests of the adapters and the
 * contract suite read what to expect. Each platform's simulator decides the exact bytes of a shape.
 */
import type { ErrorCode } from 'credence';

/** The reader: which adapter, what it reads, and as whom. */
export type FailureReader =
  /** A post, logged out, when every way to it fails alike. */
  | 'instagram-post'
  | 'instagram-profile'
  /** The API with a session; the likers of a post. */
  | 'instagram-session'
  | 'tiktok-post'
  | 'tiktok-profile'
  /** Comments and replies. */
  | 'tiktok-api'
  /** A post of Instagram or TikTok through the data provider. */
  | 'provider-post'
  /** A video. */
  | 'youtube-post'
  /** The comments of a video. */
  | 'youtube-comments';

/** The error's code and its `details.reason`. */
export type Outcome = readonly [code: ErrorCode, reason: string];

interface Row {
  /** What it looks like. */
  readonly is: string;
  /** Readers that fail with it; others read on, or never meet it. */
  readonly gives?: Readonly<Partial<Record<FailureReader, Outcome>>>;
  /** What becomes of an Instagram session that meets it; it stays in use by default. */
  readonly session?: 'dead' | 'quarantined';
}

const GONE: Outcome = ['POST_NOT_FOUND', 'not-found'];
const NOBODY: Outcome = ['PROFILE_NOT_FOUND', 'not-found'];
const PRIVATE: Outcome = ['POST_PRIVATE', 'private'];
const PRIVATE_PROFILE: Outcome = ['PROFILE_PRIVATE', 'private'];
const AGE: Outcome = ['POST_AGE_RESTRICTED', 'age-restricted'];
const THROTTLED: Outcome = ['SCRAPING_RATE_LIMITED', 'throttled'];
const kept = (reason: 'gated' | 'region' | 'review'): Outcome => ['POST_UNAVAILABLE', reason];
const fails = (reason: string): Outcome => ['PLATFORM_UNAVAILABLE', reason];

const onInstagram = (post: Outcome, profile?: Outcome) => ({
  'instagram-post': post,
  ...(profile === undefined ? {} : { 'instagram-profile': profile }),
});
const onTikTok = (post: Outcome, profile?: Outcome) => ({
  'tiktok-post': post,
  'tiktok-api': post,
  ...(profile === undefined ? {} : { 'tiktok-profile': profile }),
});
const onYouTube = (outcome: Outcome) => ({ 'youtube-post': outcome, 'youtube-comments': outcome });
const onSession = (outcome: Outcome) => ({ 'instagram-session': outcome });
const everywhere = (outcome: Outcome) => ({
  ...onInstagram(outcome, outcome),
  ...onSession(outcome),
  ...onTikTok(outcome, outcome),
  ...onYouTube(outcome),
  'provider-post': outcome,
});

/** A refusal that an Instagram session and a logged-out reader of a post are told alike. */
const refuses = (outcome: Outcome) => ({ ...onInstagram(outcome), ...onSession(outcome) });
/** Readers of profiles too. */
const refusesAll = (outcome: Outcome) => ({ ...onInstagram(outcome, outcome), ...onSession(outcome) });

const TABLE = {
  slow: { is: 'the right answer, after `latencyMs`' },
  hang: { is: 'the request is read and never answered' },
  reset: { is: 'the connection is cut', gives: everywhere(fails('network')) },
  'rate-limited': { is: '429, with `Retry-After` when the rule gives one', gives: everywhere(THROTTLED) },
  'server-error': { is: '500 with a short text', gives: everywhere(fails('http-500')) },
  unavailable: { is: '503 with an HTML error page', gives: everywhere(fails('http-503')) },
  'empty-body': { is: '200 with a body of no bytes', gives: everywhere(fails('empty-body')) },
  'html-instead-of-json': {
    is: '200, HTML where JSON is expected; on pages, a page without data',
    gives: {
      ...everywhere(fails('html-instead-of-json')),
      ...onInstagram(fails('unknown-page'), fails('unknown-page')),
      'tiktok-post': fails('no-rehydration-data'),
      'tiktok-profile': fails('no-rehydration-data'),
    },
  },
  truncated: {
    is: '200, the right body cut in the middle',
    gives: {
      ...onInstagram(fails('truncated'), fails('truncated')),
      ...onSession(fails('not-json')),
      ...onTikTok(fails('broken-json'), fails('no-rehydration-data')),
      'tiktok-post': fails('no-rehydration-data'),
      ...onYouTube(fails('not-json')),
      'provider-post': fails('not-json'),
    },
  },
  drifted: { is: '200, readable, but the fields are gone or have other types', gives: everywhere(fails('drifted')) },
  'endless-body': { is: '200, an endless body', gives: everywhere(fails('body-too-large')) },
  'login-redirect': {
    is: 'a redirect to the login page',
    gives: {
      ...everywhere(fails('login-wall')),
      ...onYouTube(fails('unexpected-redirect')),
      'provider-post': fails('unexpected-redirect'),
    },
    session: 'dead',
  },
  'not-found': {
    is: 'the platform’s own word for what does not exist',
    gives: { ...everywhere(GONE), 'instagram-profile': NOBODY, 'tiktok-profile': NOBODY },
  },
  private: {
    is: 'the platform’s own word for what only followers see',
    gives: {
      ...everywhere(PRIVATE),
      ...onYouTube(GONE),
      'instagram-profile': PRIVATE_PROFILE,
      'tiktok-profile': PRIVATE_PROFILE,
    },
  },
  'age-restricted': {
    is: 'a post that is kept from minors',
    gives: { ...onInstagram(AGE), ...onTikTok(AGE), 'provider-post': AGE },
  },
  'empty-profile': { is: 'a profile that is readable and says nothing' },
  'repeated-cursor': { is: 'comment paging that hands out the same cursor again' },
  'repeated-page': { is: 'comment paging that hands out the same comments under new cursors' },
  'empty-page-with-more': { is: 'a page without comments that claims there are more' },
  'ends-early': { is: 'a page of comments that claims there are no more, beside the right total' },
  'empty-list': { is: 'a list of comments without entries, beside the right total' },
  'nameless-comment': { is: 'a page whose first comment has lost its author' },

  'login-wall': {
    is: '200, the login page in place of a page; the API answers with an empty page',
    gives: { ...onInstagram(fails('login-wall'), fails('login-wall')), ...onSession(fails('html-instead-of-json')) },
  },
  'front-page-redirect': {
    is: 'a redirect to the front page, as a session that is over gets it, and everybody at an endpoint that was retired',
    gives: refusesAll(fails('front-page')),
  },
  throttled: { is: 'a page without data; 400 "Please wait" of the API', gives: onInstagram(THROTTLED, THROTTLED) },
  gated: { is: 'a post that is kept from logged-out readers', gives: onInstagram(kept('gated')) },
  'dead-session': {
    is: '401 "Please wait" with `require_login`',
    gives: refusesAll(fails('require-login')),
    session: 'dead',
  },
  'wait-a-few-minutes': {
    is: '400 "Please wait" without `require_login`',
    gives: refusesAll(THROTTLED),
  },
  checkpoint: {
    is: '400 `checkpoint_required`',
    gives: refuses(fails('checkpoint-required')),
    session: 'quarantined',
  },
  'broken-asset': { is: '400 of the profile API about an asset of Instagram’s, for business and creator accounts' },
  'csrf-missing': { is: '403 `login_required`', gives: onSession(fails('login-required')) },
  'forbidden-html': {
    is: '403 with an HTML page',
    gives: { ...onInstagram(fails('http-403'), fails('http-403')), ...onSession(fails('forbidden')) },
  },
  'stale-doc-id': { is: '200 `execution error` of GraphQL; other endpoints answer rightly' },
  deleted: { is: '"has been deleted"', gives: refuses(GONE) },
  'ok-without-user': {
    is: '`{"status":"ok"}` and nothing else',
    gives: onInstagram(fails('unknown-page'), fails('unknown-page')),
  },
  'not-authorized': {
    is: '"Not authorized to view user"',
    gives: { ...onInstagram(PRIVATE, PRIVATE_PROFILE), ...onSession(PRIVATE) },
  },
  'hidden-counts': { is: 'a post whose owner hides likes and views' },
  'renamed-data': {
    is: 'a page that holds the post or profile under another name',
    gives: onInstagram(fails('drifted'), fails('drifted')),
  },

  'status-deleted': { is: '10204 status_deleted', gives: onTikTok(GONE) },
  'status-reviewing': { is: '10204 status_reviewing', gives: onTikTok(kept('review')) },
  'private-post': { is: '10216', gives: onTikTok(PRIVATE) },
  'private-account': { is: '10222', gives: onTikTok(PRIVATE, PRIVATE_PROFILE) },
  'private-account-with-access': { is: '10222 beside a profile that is shown all the same' },
  'cross-border': { is: '10231', gives: onTikTok(kept('region'), fails('region')) },
  'login-required': { is: '10101', gives: onTikTok(fails('login-required'), fails('login-required')) },
  verify: { is: '200 `{"type":"verify"}`', gives: onTikTok(fails('verify'), fails('verify')) },
  'classified-without-video': {
    is: 'a post that is classified and has no media; the API answers rightly',
    gives: { 'tiktok-post': AGE },
  },
  waf: { is: 'the firewall’s page, which can be solved' },
  'waf-unsolvable': { is: 'the firewall’s page, which cannot' },
  'waf-forbidden': { is: 'the firewall’s page under the status 403' },
  moved: { is: 'a redirect of the post’s page to another address of the same post' },
  'moved-elsewhere': {
    is: 'a redirect of the post’s page to another post',
    gives: { 'tiktok-post': fails('redirect') },
  },
  'captcha-page': { is: 'a captcha', gives: onTikTok(fails('captcha'), fails('captcha')) },
  'no-rehydration-data': {
    is: 'a page without data',
    gives: { 'tiktok-post': fails('no-rehydration-data'), 'tiktok-profile': fails('no-rehydration-data') },
  },
  'unknown-status': { is: '10999', gives: onTikTok(fails('status-10999'), fails('status-10999')) },

  'provider-key': { is: '401 of the data provider', gives: { 'provider-post': fails('provider-key') } },
  'provider-credits': { is: '402 of the data provider', gives: { 'provider-post': fails('provider-credits') } },
  'provider-forbidden': { is: '403 of the data provider', gives: { 'provider-post': fails('provider-forbidden') } },
  'provider-account': { is: '404 "API account not found"', gives: { 'provider-post': fails('provider-account') } },
  'provider-lost': {
    is: '404 "Not Found" of the data provider, whatever it has lost',
    gives: { 'provider-post': fails('http-404') },
  },
  'provider-error': {
    is: '200 that says the provider itself failed',
    gives: { 'provider-post': fails('provider-error') },
  },
  'quota-exceeded': { is: '403 quotaExceeded of YouTube', gives: onYouTube(THROTTLED) },
  'too-fast': { is: '403 rateLimitExceeded of YouTube', gives: onYouTube(THROTTLED) },
  'key-invalid': { is: '400 API_KEY_INVALID of YouTube', gives: onYouTube(fails('api-key')) },
  'comments-disabled': {
    is: '403 commentsDisabled of YouTube; videos are answered rightly',
    gives: { 'youtube-comments': ['POST_UNAVAILABLE', 'comments-disabled'] },
  },
  'processing-failure': { is: '400 processingFailure of YouTube', gives: onYouTube(fails('processing-failure')) },
  'unknown-route': { is: '404 of a server that does not know the path', gives: { 'provider-post': fails('http-404') } },
} as const satisfies Readonly<Record<string, Row>>;

export type FailureShape = keyof typeof TABLE;

/** The table, by shape. */
export const FAILURES: Readonly<Record<FailureShape, Row>> = TABLE;

export const FAILURE_SHAPES = Object.keys(TABLE) as [FailureShape, ...FailureShape[]];

/** What a reader makes of each shape that it fails with. */
export function failuresOf(reader: FailureReader): readonly (readonly [shape: FailureShape, ...outcome: Outcome])[] {
  return FAILURE_SHAPES.flatMap((shape) => {
    const outcome = FAILURES[shape].gives?.[reader];
    return outcome === undefined ? [] : [[shape, ...outcome] as const];
  });
}

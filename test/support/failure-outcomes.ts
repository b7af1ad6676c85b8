/** What each reader of a platform makes of the failures that the simulator can show; a shape that is not here is no failure to any. */
import type { ErrorCode } from '../../core/errors.ts';
import { FAILURE_SHAPES, type FailureShape } from '../../hosts/platform-simulator/failure-shapes.ts';

/** The reader: which adapter, what it reads, and as whom. */
type FailureReader =
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
type Outcome = readonly [code: ErrorCode, reason: string];

interface Row {
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

/** By shape. */
export const FAILURES: Readonly<Partial<Record<FailureShape, Row>>> = {
  reset: { gives: everywhere(fails('network')) },
  'rate-limited': { gives: everywhere(THROTTLED) },
  'server-error': { gives: everywhere(fails('http-500')) },
  unavailable: { gives: everywhere(fails('http-503')) },
  'empty-body': { gives: everywhere(fails('empty-body')) },
  'html-instead-of-json': {
    gives: {
      ...everywhere(fails('html-instead-of-json')),
      ...onInstagram(fails('unknown-page'), fails('unknown-page')),
      'tiktok-post': fails('no-rehydration-data'),
      'tiktok-profile': fails('no-rehydration-data'),
    },
  },
  truncated: {
    gives: {
      ...onInstagram(fails('truncated'), fails('truncated')),
      ...onSession(fails('not-json')),
      ...onTikTok(fails('broken-json'), fails('no-rehydration-data')),
      'tiktok-post': fails('no-rehydration-data'),
      ...onYouTube(fails('not-json')),
      'provider-post': fails('not-json'),
    },
  },
  drifted: { gives: everywhere(fails('drifted')) },
  'endless-body': { gives: everywhere(fails('body-too-large')) },
  'login-redirect': {
    gives: {
      ...everywhere(fails('login-wall')),
      ...onYouTube(fails('unexpected-redirect')),
      'provider-post': fails('unexpected-redirect'),
    },
    session: 'dead',
  },
  'not-found': { gives: { ...everywhere(GONE), 'instagram-profile': NOBODY, 'tiktok-profile': NOBODY } },
  private: {
    gives: {
      ...everywhere(PRIVATE),
      ...onYouTube(GONE),
      'instagram-profile': PRIVATE_PROFILE,
      'tiktok-profile': PRIVATE_PROFILE,
    },
  },
  'age-restricted': { gives: { ...onInstagram(AGE), ...onTikTok(AGE), 'provider-post': AGE } },
  'login-wall': {
    gives: { ...onInstagram(fails('login-wall'), fails('login-wall')), ...onSession(fails('html-instead-of-json')) },
  },
  'front-page-redirect': { gives: refusesAll(fails('front-page')) },
  throttled: { gives: onInstagram(THROTTLED, THROTTLED) },
  gated: { gives: onInstagram(kept('gated')) },
  'dead-session': { gives: refusesAll(fails('require-login')), session: 'dead' },
  'wait-a-few-minutes': { gives: refusesAll(THROTTLED) },
  checkpoint: { gives: refuses(fails('checkpoint-required')), session: 'quarantined' },
  'csrf-missing': { gives: onSession(fails('login-required')) },
  'forbidden-html': {
    gives: { ...onInstagram(fails('http-403'), fails('http-403')), ...onSession(fails('forbidden')) },
  },
  deleted: { gives: refuses(GONE) },
  'ok-without-user': { gives: onInstagram(fails('unknown-page'), fails('unknown-page')) },
  'not-authorized': { gives: { ...onInstagram(PRIVATE, PRIVATE_PROFILE), ...onSession(PRIVATE) } },
  'renamed-data': { gives: onInstagram(fails('drifted'), fails('drifted')) },
  'status-deleted': { gives: onTikTok(GONE) },
  'status-reviewing': { gives: onTikTok(kept('review')) },
  'private-post': { gives: onTikTok(PRIVATE) },
  'private-account': { gives: onTikTok(PRIVATE, PRIVATE_PROFILE) },
  'cross-border': { gives: onTikTok(kept('region'), fails('region')) },
  'login-required': { gives: onTikTok(fails('login-required'), fails('login-required')) },
  verify: { gives: onTikTok(fails('verify'), fails('verify')) },
  'classified-without-video': { gives: { 'tiktok-post': AGE } },
  'moved-elsewhere': { gives: { 'tiktok-post': fails('redirect') } },
  'captcha-page': { gives: onTikTok(fails('captcha'), fails('captcha')) },
  'no-rehydration-data': {
    gives: { 'tiktok-post': fails('no-rehydration-data'), 'tiktok-profile': fails('no-rehydration-data') },
  },
  'unknown-status': { gives: onTikTok(fails('status-10999'), fails('status-10999')) },
  'provider-key': { gives: { 'provider-post': fails('provider-key') } },
  'provider-credits': { gives: { 'provider-post': fails('provider-credits') } },
  'provider-forbidden': { gives: { 'provider-post': fails('provider-forbidden') } },
  'provider-account': { gives: { 'provider-post': fails('provider-account') } },
  'provider-lost': { gives: { 'provider-post': fails('http-404') } },
  'provider-error': { gives: { 'provider-post': fails('provider-error') } },
  'quota-exceeded': { gives: onYouTube(THROTTLED) },
  'too-fast': { gives: onYouTube(THROTTLED) },
  'key-invalid': { gives: onYouTube(fails('api-key')) },
  'comments-disabled': { gives: { 'youtube-comments': ['POST_UNAVAILABLE', 'comments-disabled'] } },
  'processing-failure': { gives: onYouTube(fails('processing-failure')) },
  'unknown-route': { gives: { 'provider-post': fails('http-404') } },
};

/** What a reader makes of each shape that it fails with. */
export function failuresOf(reader: FailureReader): readonly (readonly [shape: FailureShape, ...outcome: Outcome])[] {
  return FAILURE_SHAPES.flatMap((shape) => {
    const outcome = FAILURES[shape]?.gives?.[reader];
    return outcome === undefined ? [] : [[shape, ...outcome] as const];
  });
}

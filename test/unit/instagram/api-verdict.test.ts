import { describe, expect, it } from 'vitest';
import { readApiBody } from '../../../adapters/instagram/api-verdict.ts';
import { DTSG_KEY, STALE_KEY, TOKEN_KEY } from '../../../adapters/instagram/tokens.ts';
import { type Answer, answer, visitor } from '../scraping/answer.ts';

const read = (given: Answer, subject: 'post' | 'profile' = 'post', identity = visitor('session')) =>
  readApiBody(answer(given), identity, subject);
const readJson = (body: unknown, status = 200, subject: 'post' | 'profile' = 'post') =>
  read({ text: JSON.stringify(body), status }, subject);
const dead = (reason: string) => ({ kind: 'blocked', reason, session: 'dead' });
const sentAway = (reason: string) => ({ kind: 'blocked', reason, session: 'sent-away' });
const quarantined = (reason: string) => ({ kind: 'blocked', reason, session: 'quarantined' });
const unreadable = (reason: string, more: object = {}) => ({ kind: 'unreadable', reason, ...more });
/** Another session may be answered better. */
const odd = (reason: string) => unreadable(reason, { othersMayRead: true });
const permanent = (code: string) => ({ kind: 'permanent', error: expect.objectContaining({ code }) });
/** Missing to this reader or by this way: no proof. */
const missing = {
  kind: 'permanent',
  error: expect.objectContaining({
    code: 'PLATFORM_UNAVAILABLE',
    details: { reason: 'unanswered', platform: 'instagram' },
  }),
};
const throttled = { kind: 'throttled' };

describe('a good answer of the API', () => {
  it('is its object, with or without the guard in front of it', () => {
    for (const guard of ['', 'for (;;);', ' \nfor (;;);']) {
      expect(read({ text: `${guard}{"status":"ok","a":1}` })).toEqual({ kind: 'ok', value: { status: 'ok', a: 1 } });
    }
    expect(read({ text: '{"a":"for (;;);"}' })).toEqual({ kind: 'ok', value: { a: 'for (;;);' } });
  });

  it('proves the tokens that it was asked with', () => {
    const identity = visitor();
    identity.memory.set(STALE_KEY, '1');
    read({ text: '{}' }, 'post', identity);
    expect(identity.memory.has(STALE_KEY)).toBe(false);
  });
});

describe('a message of the API', () => {
  it.each(['checkpoint_required', 'challenge_required', 'feedback_required', 'consent_required'])(
    'that says %s sets the session aside, whatever field it is in',
    (name) => {
      const verdict = quarantined(name.replace('_', '-'));
      expect(readJson({ message: ` ${name.toUpperCase()} ` }, 400)).toEqual(verdict);
      expect(readJson({ error_type: name }, 400)).toEqual(verdict);
      expect(readJson({ errors: [{ message: name }] })).toEqual(verdict);
    },
  );

  it.each([
    ['a word of the same family', { message: 'checkpoint_challenge_required' }],
    ['a place to solve it', { message: 'Vérifie', checkpoint_url: 'https://i.instagram.com/challenge/1' }],
    ['a challenge', { message: 'Vérifie', challenge: { url: '/challenge/' } }],
    ['a type of error', { error_type: 'CHECKPOINT_logged_out' }],
  ])('in another language is a checkpoint by %s', (_name, body) => {
    expect(readJson(body, 400)).toEqual(quarantined('checkpoint-required'));
  });

  it.each(['user_has_logged_out', 'logged_out', 'invalid_session', 'session_expired'])(
    'that says %s ends the session, whatever field it is in',
    (name) => {
      const errors = [{ message: name }];
      for (const body of [{ message: name }, { error_type: name }, { logout_reason: name }, { errors }]) {
        expect(readJson(body)).toEqual(dead('logged-out'));
      }
    },
  );

  it('of a disabled account sets the session aside', () => {
    for (const body of [
      { message: 'Sorry', error_type: 'inactive user' },
      { message: 'Sorry', error_type: 'Inactive_User' },
      { message: 'Your account has been disabled for violating our terms.' },
      { message: 'Your account has been deleted.' },
    ]) {
      expect(readJson({ ...body, status: 'fail' }, 400)).toEqual(quarantined('account-inactive'));
    }
  });

  it.each([
    { checkpoint_url: '' },
    { checkpoint_url: '/challenge/' },
    { challenge: {} },
    { challenge: { url: '/x/' } },
    { require_login: true },
    { logout_reason: 8 },
    { error_title: 'Logged out' },
  ])('%j beside a good answer says nothing', (field) => {
    expect(readJson({ users: [], ...field, status: 'ok' })).toMatchObject({ kind: 'ok' });
  });

  it.each([{ checkpoint_url: '' }, { challenge: {} }, { logout_reason: '' }, { logout_reason: null }])(
    '%j says nothing of the session',
    (field) => {
      expect(readJson({ message: 'Sorry', ...field, status: 'fail' }, 400)).toEqual(odd('http-400'));
    },
  );

  it('that no session can cause ends none', () => {
    const refused = { kind: 'blocked', reason: 'logged-out' };
    expect(read({ text: '{"message":"logged_out"}' }, 'post', visitor())).toEqual(refused);
  });

  it('is read from the numbers of GraphQL', () => {
    expect(readJson({ error: 1_357_001 })).toEqual(dead('not-logged-in'));
    expect(readJson({ error: 1_675_004 })).toEqual(throttled);
    expect(readJson({ error: '1675004' })).toEqual(throttled);
    expect(readJson({ error: 4_630_001 })).toMatchObject(missing);
  });

  it.each([
    ['rate_limit_error', throttled],
    ['sentry_block', { kind: 'blocked', reason: 'sentry-block' }],
    ['ip_block', { kind: 'blocked', reason: 'ip-block' }],
    ['login_required', dead('login-required')],
  ])('of the type %s is sorted, in whatever words it comes', (type, verdict) => {
    const body = { message: 'Action blocked, try again later', error_type: type, status: 'fail' };
    expect(readJson(body, 400)).toEqual(verdict);
    expect(readJson({ message: type, status: 'fail' }, 400)).toEqual(verdict);
    const errors = [{ message: 'Sorry', error_type: type }];
    expect(readJson({ errors, data: null })).toMatchObject({ kind: verdict.kind });
  });

  it('about an asset of Instagram’s is about no profile and no session', () => {
    const message =
      'Asset asset://laser.provider/ig_business_category_subvertical has been deleted. You cannot use this schema';
    for (const subject of ['post', 'profile'] as const) {
      expect(readJson({ message, status: 'fail' }, 400, subject)).toEqual(unreadable('broken-asset'));
    }
  });

  it.each([
    'Media not found or unavailable',
    'This media has been deleted.',
    'Media is unavailable',
    'Media 3441088131388376166 unavailable',
    'Sorry, this media is no longer available.',
    'Sorry. This photo isn’t available',
    'The video was removed by its owner',
    'This post does not exist',
    'Post couldn’t be found.',
    'media_unavailable',
    'media_not_found',
  ])('that says "%s" is about the post, whose page has to confirm it', (message) => {
    const retired = { message: 'execution error', severity: 'CRITICAL' };
    for (const identity of [visitor('session'), visitor()]) {
      const say = (body: object, status = 200) => read({ text: JSON.stringify(body), status }, 'post', identity);
      for (const verdict of [
        say({ message, status: 'fail' }, 400),
        say({ message, status: 'fail' }, 404),
        say({ errors: [{ message }], data: null }),
        say({ errors: [{ ...retired, description: message }], data: null }),
        say({ errors: [{ ...retired, extensions: { summary: message } }], data: { media: null } }),
      ]) {
        expect(verdict).toMatchObject(missing);
      }
    }
  });

  it('says that what was asked for is private', () => {
    expect(readJson({ message: 'Not authorized to view user' }, 400)).toEqual(permanent('POST_PRIVATE'));
    expect(readJson({ message: 'Not authorized to view user' }, 400, 'profile')).toEqual(permanent('PROFILE_PRIVATE'));
  });

  it('is about the post only if it names one', () => {
    for (const text of [
      'The comment on this post has been deleted.',
      'This comment has been deleted.',
      'Your post was made. Your comment has been deleted',
      'The comments of this media are not available',
      'Asset asset://laser.provider/ig_media_category has been deleted',
      'https://i.instagram.com/media not found',
      'Your media is fine. The endpoint was not found',
      'Unavailable media',
    ]) {
      expect(readJson({ message: text }, 400)).not.toMatchObject(missing);
    }
    expect(readJson({ message: 'Media not found or unavailable' }, 400, 'profile')).toEqual(odd('http-400'));
  });

  it('says that a profile is not found only with the status that means it', () => {
    const unlessAgreed = expect.objectContaining({ code: 'PLATFORM_UNAVAILABLE' });
    const nobody = { ...permanent('PROFILE_NOT_FOUND'), unlessAgreed };
    expect(readJson({ message: 'User not found' }, 404, 'profile')).toEqual(nobody);
    expect(readJson({ message: 'Sorry, this user was not found.' }, 404, 'profile')).toEqual(nobody);
    for (const text of ['Not found', 'Endpoint not found', 'Page not found', 'User agent not found']) {
      expect(readJson({ message: text }, 404, 'profile')).toEqual(odd('http-404'));
    }
    expect(readJson({ message: 'User not found' }, 400, 'profile')).toEqual(odd('http-400'));
    expect(readJson({ message: 'User not found' }, 404)).toEqual(odd('http-404'));
    expect(readJson({ message: 'Sorry' }, 404, 'profile')).toEqual(odd('http-404'));
  });

  it('that asks to wait means it, unless it asks for a login too', () => {
    const wait = 'Please wait a few minutes before you try again.';
    expect(readJson({ message: wait }, 401)).toEqual(throttled);
    expect(readJson({ message: wait, require_login: true }, 401)).toEqual(dead('require-login'));
    expect(readJson({ message: wait, require_login: true }, 403)).toEqual(throttled);
    expect(readJson({ message: `Now ${wait.toLowerCase()}` }, 401)).toEqual(sentAway('unauthorized'));
  });
});

describe('tokens that are refused', () => {
  const refusals: [string, Answer][] = [
    ['login-required', { status: 403, text: '{"message":"login_required"}' }],
    ['forbidden', { status: 403, text: '' }],
  ];

  it.each(refusals)('as %s are fetched again once, then the identity is refused', (reason, given) => {
    const identity = visitor();
    identity.memory.set(TOKEN_KEY, 'a').set(DTSG_KEY, 'b');
    expect(read(given, 'post', identity)).toEqual(unreadable(reason, { retries: 1, immediately: true }));
    expect([...identity.memory.keys()]).toEqual([STALE_KEY]);
    expect(read(given, 'post', identity)).toEqual({ kind: 'blocked', reason });
    expect(identity.memory.size).toBe(0);
  });

  it('are not to blame for another status, nor if the answer says that the session is over', () => {
    for (const status of [200, 400, 401]) {
      expect(readJson({ message: 'login_required', status: 'fail' }, status)).toEqual(dead('login-required'));
    }
    for (const why of [
      { logout_reason: 8 },
      { logout_reason: 0 },
      { logout_reason: 'x' },
      { error_title: 'You’ve Been Logged Out' },
    ]) {
      expect(readJson({ message: 'login_required', ...why }, 403)).toEqual(dead('logged-out'));
    }
    const unsaid = { logout_reason: '', error_title: 'Sorry' };
    expect(readJson({ message: 'login_required', ...unsaid }, 403)).toMatchObject({ reason: 'login-required' });
  });
});

describe('the status of an answer', () => {
  it.each<[string, Answer, object]>([
    ['429', { status: 429, text: '{}' }, { ...throttled, retryAfterSeconds: undefined }],
    [
      'a request to wait with a time',
      { status: 400, headers: { 'retry-after': '9' }, text: '{"message":"Please wait"}' },
      { ...throttled, retryAfterSeconds: 9 },
    ],
    ['429 with a time', { status: 429, headers: { 'retry-after': '9' } }, { ...throttled, retryAfterSeconds: 9 }],
    ['500', { status: 500, text: '{}' }, unreadable('http-500', { retries: 2 })],
    ['502 with a page', { status: 502, text: '<html>' }, unreadable('http-502', { retries: 2 })],
    ['401', { status: 401, text: '{}' }, sentAway('unauthorized')],
    ['401 without a body', { status: 401 }, sentAway('unauthorized')],
    ['400', { status: 400, text: '{}' }, odd('http-400')],
    ['403 without a word about the tokens', { status: 403, text: '{}' }, odd('http-403')],
    ['400 with text', { status: 400, text: 'no' }, odd('http-400')],
    ['200 with a failure', { text: '{"status":"fail"}' }, odd('api-refused')],
  ])('is read from %s', (_name, given, verdict) => {
    expect(read(given)).toEqual(verdict);
  });

  it('of a redirect says by its target whether the session is over', () => {
    const redirect = (location?: string, status = 302) =>
      read({ status, text: '{"status":"ok"}', ...(location === undefined ? {} : { headers: { location } }) });
    expect(redirect('/accounts/login/')).toEqual(dead('login-wall'));
    expect(redirect('/challenge/')).toEqual(quarantined('challenge-required'));
    expect(redirect('/')).toEqual(sentAway('front-page'));
    expect(redirect('/p/x/', 300)).toEqual(odd('unexpected-redirect'));
    expect(redirect('/p/x/', 399)).toEqual(odd('unexpected-redirect'));
    expect(redirect()).toEqual(odd('unexpected-redirect'));
  });
});

describe('errors of GraphQL', () => {
  const errors = (messages: readonly unknown[], data?: unknown) =>
    readJson({ errors: messages.map((message) => ({ message })), ...(data === undefined ? {} : { data }) });

  it.each<[string, readonly unknown[], object]>([
    ['a rate limit', ['x', 'Rate limit exceeded'], throttled],
    ['a missing login', ['x', 'Login_required'], dead('logged-out')],
    ['a retired query', ['x', 'Execution error'], unreadable('stale-doc-id')],
    ['an unknown query', ['The document was not found'], unreadable('stale-doc-id')],
    ['anything else', ['Oops'], unreadable('graphql-error')],
    ['no text', [5, null], unreadable('graphql-error')],
  ])('tell %s', (_name, messages, verdict) => {
    expect(errors(messages)).toEqual(verdict);
    expect(errors(messages, null)).toEqual(verdict);
  });

  it('tell under any status what is wrong with the session', () => {
    for (const status of [200, 400, 403, 500]) {
      const say = (message: string) => readJson({ errors: [{ message }] }, status);
      expect(say('checkpoint_required')).toEqual(quarantined('checkpoint-required'));
      expect(say('invalid_session')).toEqual(dead('logged-out'));
      expect(say('Rate limit exceeded')).toEqual(throttled);
    }
    expect(readJson({ errors: [{ message: 'login_required' }] }, 400)).toEqual(dead('logged-out'));
    expect(readJson({ errors: [{ message: 'login_required' }] }, 403)).toMatchObject({ reason: 'login-required' });
    expect(readJson({ errors: [{ message: 'execution error' }] }, 400)).toEqual(odd('http-400'));
  });

  it.each<[string, object, object]>([
    ['the media', { code: 4_630_001, description: 'Media not found or unavailable' }, missing],
    ['the media, by the number alone', { code: 4_630_001 }, missing],
    ['the media, by a number in its extensions', { extensions: { code: '4630001' } }, missing],
    ['the rate', { code: 1_675_004, description: 'Rate limit exceeded' }, throttled],
    ['the rate, by the number alone', { api_error_code: 1_675_004 }, throttled],
    ['the session', { code: 1_357_001 }, dead('logged-out')],
    ['nothing we know, so the query is a retired one', { code: 1 }, unreadable('stale-doc-id')],
  ])('named "execution error" are about %s', (_name, more, verdict) => {
    const error = { message: 'execution error', severity: 'CRITICAL', ...more };
    expect(readJson({ errors: [error], data: null, status: 'ok' })).toMatchObject(verdict);
  });

  it.each<[string, object[], object]>([
    ['a warning', [{ message: 'field_exception', severity: 'WARNING' }], { media: { pk: '1' } }],
    ['a warning without a weight', [{ message: 'Deprecated' }], { media: { pk: '1' }, list: [] }],
    ['the error of a field that is there', [{ message: 'x', path: ['media', 'pk'] }], { media: { pk: '1' }, a: null }],
    [
      'an error about another field as a whole',
      [{ message: 'x', severity: 'CRITICAL', path: ['viewer'] }],
      { media: { pk: '1' }, viewer: null },
    ],
    ['words about other media', [{ message: 'Media not found', severity: 'WARNING' }], { media: { pk: '1' } }],
  ])('beside data that is whole are warnings: %s', (_name, list, data) => {
    expect(readJson({ errors: list, data })).toEqual({ kind: 'ok', value: { errors: list, data } });
  });

  it.each<[string, object, unknown]>([
    ['nothing is there', {}, {}],
    ['its field is empty', { severity: 'WARNING' }, { media: null }],
    ['one of its fields is empty', { severity: 'WARNING' }, { media: { pk: '1' }, user: null }],
    ['the error is critical', { severity: 'critical' }, { media: { pk: '1' } }],
    ['what the error names is missing', { path: ['media', 'edges', 1, 'node'] }, { media: { edges: [{ node: 1 }] } }],
    ['all that is there is named', { path: ['media'] }, { media: null }],
    ['what the error names is empty', { path: ['media', 'likes'] }, { media: { likes: null } }],
    ['it is a list', {}, [{ pk: '1' }]],
    ['it is a text', {}, 'x'],
  ])('beside data that is not whole count, and say nothing of the query: %s', (_name, error, data) => {
    const body = { errors: [{ message: 'execution error', ...error }], data };
    expect(readJson(body)).toEqual(unreadable('graphql-error'));
  });

  it('are none if the list is empty or no list', () => {
    expect(readJson({ errors: [] })).toMatchObject({ kind: 'ok' });
    expect(readJson({ errors: 'x' })).toMatchObject({ kind: 'ok' });
  });

  it('are read up to the twentieth', () => {
    const many = (count: number) => [...Array(count).fill('x'), 'rate limit'];
    expect(errors(many(19))).toEqual(throttled);
    expect(errors(many(20))).toEqual(unreadable('graphql-error'));
  });
});

describe('an answer that is no JSON object', () => {
  it.each<[string, string, object]>([
    ['nothing', ' \n', unreadable('empty-body', { retries: 1 })],
    ['text', 'sorry <', unreadable('not-json', { retries: 1 })],
    ['a list', '[1]', unreadable('not-json', { retries: 1 })],
    ['a login page', ' <html>"LoginAndSignupPage"', dead('login-wall')],
    ['text that mentions a login page', '"LoginAndSignupPage"', unreadable('not-json', { retries: 1 })],
    ['another page', '<html>', unreadable('html-instead-of-json', { retries: 1, immediately: true })],
  ])('is told by %s', (_name, text, verdict) => {
    expect(read({ text })).toEqual(verdict);
  });

  it('but a page forgets the tokens', () => {
    const identity = visitor();
    identity.memory.set(TOKEN_KEY, 'a');
    read({ text: '<html>' }, 'post', identity);
    expect([...identity.memory.keys()]).toEqual([STALE_KEY]);
  });
});

import { describe, expect, it } from 'vitest';
import {
  drifted,
  isInstagram,
  isPrivate,
  loginOrChallenge,
  loginOrChallengePage,
  loginOrChallengeRoute,
  notFound,
  unanswered,
} from '../../../adapters/instagram/refusals.ts';

const FROM = 'http://127.0.0.1:9000/p/x/';
const LOGIN = { kind: 'blocked', reason: 'login-wall', session: 'dead' };
const CHALLENGE = { kind: 'blocked', reason: 'challenge-required', session: 'quarantined' };
const FRONT_PAGE = { kind: 'blocked', reason: 'front-page', session: 'sent-away' };

describe('a redirect', () => {
  it.each([
    [
      LOGIN,
      '/accounts/login/?next=/p/x/ /login https://www.instagram.com/accounts/login/ https://instagram.com/login/ ' +
        '/Accounts/Login/ accounts/login/ //www.instagram.com//accounts/login/ /de/accounts/login/ ' +
        'pt-br/accounts/login/ https://www.instagram.com/es-419/login /zh_Hans/accounts/onetap/',
    ],
    [
      CHALLENGE,
      '/challenge/1/2/ /auth_platform/ /checkpoint /consent/?a=1 /accounts/suspended/ /accounts/disabled ' +
        '/accounts/scraping_warning/?next=x /accounts/confirm_email/x/ /de/accounts/unblock/ /privacy/checks/?flow=x ' +
        '/terms/unblock/?next=x /fil/accounts/suspended/ /fr-ca/privacy/checks/',
    ],
    [FRONT_PAGE, '//www.instagram.com// / /?hl=en'],
  ])('is the refusal %j at %s', (verdict, locations) => {
    for (const location of locations.split(' ')) expect(loginOrChallenge(location, FROM), location).toEqual(verdict);
  });

  it.each([
    ...['', 'http://', 'https://example.com/login/', 'https://notinstagram.com/login/'],
    ...'https://instagram.com.example/login/ /p/y/ /logins /challenges/ /accountsx/ /a/login/ /a/challenge/'.split(' '),
    ...'/de/ /de/p/x/ /de/challenges/ /german/login/ /pt-/login/ /de/fr/login/ a/login/ ?next=x /privacy/ /terms/'.split(
      ' ',
    ),
  ])('to %j says nothing of the session', (location) => {
    expect(loginOrChallenge(location, FROM)).toBeNull();
  });

  it('is Instagram’s by its host, or by the site that was asked', () => {
    const places = [
      'http://127.0.0.1:9000/a',
      'http://127.0.0.1:9001/a',
      'https://i.instagram.com/',
      'https://instagram.com',
    ];
    expect(places.map((place) => isInstagram(new URL(place), FROM))).toEqual([true, false, true, true]);
  });
});

describe('a page', () => {
  it.each(['PolarisChallengeRoute', 'CheckpointRoute', 'AuthPlatformRoute', 'SuspendedRoute'])(
    'with the route %s is a challenge',
    (route) => {
      expect(loginOrChallengeRoute(route)).toEqual(CHALLENGE);
      expect(loginOrChallengePage(`{"canonicalRouteName":  "${route}"} id="loginForm"`)).toEqual(CHALLENGE);
    },
  );

  it('with the route of a login is a login', () => {
    expect(loginOrChallengePage('{"canonicalRouteName":"comet.igweb.PolarisLoginRoute"}')).toEqual(LOGIN);
  });

  it('with another route is none, whatever else it says', () => {
    expect(loginOrChallengeRoute('PolarisPostRoute')).toBeNull();
    expect(loginOrChallengePage('{"canonicalRouteName":"PolarisPostRoute"} id="loginForm"')).toBeNull();
  });

  it.each(['<form id="loginForm">', '{"name":"LoginAndSignupPage"}'])('without a route is a login by %s', (html) => {
    expect(loginOrChallengePage(html)).toEqual(LOGIN);
  });

  it('without either is none', () => {
    expect(loginOrChallengePage('<html>Login</html>')).toBeNull();
  });
});

it.each([
  [notFound('post'), 'POST_NOT_FOUND', 'not-found'],
  [notFound('profile'), 'PROFILE_NOT_FOUND', 'not-found'],
  [isPrivate('post'), 'POST_PRIVATE', 'private'],
  [isPrivate('profile'), 'PROFILE_PRIVATE', 'private'],
  [drifted('a post'), 'PLATFORM_UNAVAILABLE', 'drifted'],
  [unanswered('a post'), 'PLATFORM_UNAVAILABLE', 'unanswered'],
])('%s says why', (error, code, reason) => {
  expect(error).toMatchObject({ code, details: { reason, platform: 'instagram' } });
});

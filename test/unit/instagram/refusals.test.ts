import { describe, expect, it } from 'vitest';
import { isInstagram, loginOrChallenge, loginOrChallengePage } from '../../../adapters/instagram/refusals.ts';

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

it.each<[string, object | null]>([
  ...['PolarisChallengeRoute', 'CheckpointRoute', 'AuthPlatformRoute', 'SuspendedRoute'].map(
    (route): [string, object] => [`{"canonicalRouteName":  "${route}"} id="loginForm"`, CHALLENGE],
  ),
  ['{"canonicalRouteName":"comet.igweb.PolarisLoginRoute"}', LOGIN],
  // A route that is known tells, whatever else the page says.
  ['{"canonicalRouteName":"PolarisPostRoute"} id="loginForm"', null],
  ['<form id="loginForm">', LOGIN],
  ['{"name":"LoginAndSignupPage"}', LOGIN],
  ['<html>Login</html>', null],
])('the page %s is a refusal by its route, or by its form: %j', (html, verdict) => {
  expect(loginOrChallengePage(html)).toEqual(verdict);
});

import { expect, it } from 'vitest';
import { besideVary } from '../../../plugins/http/vary.ts';

it.each([
  [undefined, 'accept-language', 'accept-language'],
  ['Origin', 'accept-language', 'Origin, accept-language'],
  [['Origin', 'Cookie'], 'accept-language', 'Origin, Cookie, accept-language'],
  ['origin, Accept-Language', 'accept-language', 'origin, Accept-Language'],
])('adds to %j what Credence has: %s', (before, own, vary) => {
  expect(besideVary({ vary: own, etag: 'x' }, before)).toEqual({ vary, etag: 'x' });
});

it('leaves the headers of an answer without one as they are', () => {
  const headers = { etag: 'x' };
  expect(besideVary(headers, 'Origin')).toBe(headers);
});

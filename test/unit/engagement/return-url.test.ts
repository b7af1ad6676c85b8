import { describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { allowedReturnUrl, returnLink } from '../../../core/engagement/connections/return-url.ts';
import { connectPage } from '../../../plugins/http/pages/connect/connect-page.ts';
import { connectLook } from '../../../plugins/http/pages/connect/style.ts';

const ORIGINS = ['https://app.example', 'http://localhost:3000'];
const SHOWN = { platform: 'Instagram', look: connectLook(undefined), language: 'en', checkSeconds: 20 } as const;
const request: ConnectionRequest = {
  id: 'abc',
  externalId: 'user-42',
  platform: 'instagram',
  handle: 'nasa',
  code: 'credence-x',
  status: 'pending',
  checks: 0,
  maxChecks: 10,
  accountId: null,
  returnUrl: 'https://app.example/me?a="><b>&status=connected',
  createdAt: new Date(0),
  expiresAt: new Date(1),
  revision: 0,
};

describe('the way back from the connect page', () => {
  it.each([
    'https://app.example/',
    'https://app.example/me?x=1#y',
    'http://localhost:3000/a',
    'HTTPS://APP.example:443/a',
  ])('may be %s', (url) => {
    expect(allowedReturnUrl(url, ORIGINS)).toBe(new URL(url).href);
  });

  it.each([
    'javascript:alert(1)',
    'blob:https://app.example/x',
    '//app.example/',
    '',
    'https://app.example.evil.example/',
    'https://app.example@evil.example/',
    'https://user:password@app.example/',
    'https://app.example:8443/',
    'http://app.example/',
    'https://evil.example\\@app.example/',
    'https://app.example%2eevil.example/',
  ])('is refused to be %s', (url) => {
    expect(() => allowedReturnUrl(url, ORIGINS)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(() => allowedReturnUrl('https://app.example/', [])).toThrow('connect.returnOrigins');
  });

  it('has the outcome in its query, in the place of what was there by this name', () => {
    const link = new URL(returnLink(request, 'expired') ?? '');
    expect(link.origin + link.pathname).toBe('https://app.example/me');
    expect(link.searchParams.getAll('status')).toEqual(['expired']);
    const query = { platform: 'instagram', requestId: 'abc', a: '"><b>' };
    expect(Object.fromEntries(link.searchParams)).toMatchObject(query);
    expect(returnLink({ ...request, returnUrl: null }, 'expired')).toBeNull();
  });

  it('is a link on the page in every state, escaped', () => {
    for (const kind of ['pending', 'expired', 'failed'] as const) {
      const { body } = connectPage({ kind, request }, SHOWN);
      expect(body).toContain(`status=${kind}&amp;platform=instagram&amp;requestId=abc`);
      expect(body).not.toContain('"><b>');
    }
    const connected = connectPage({ kind: 'connected', request, account: null }, SHOWN);
    expect(connected.body).toContain('<a href="https://app.example/me?');
  });
});

import { describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { connectBrand } from '../../../plugins/http/pages/connect/brand.ts';
import { contrast, readableOn, textOn } from '../../../plugins/http/pages/connect/colors.ts';
import {
  type ConnectPageOptions,
  connectPage,
  noSuchConnectPage,
} from '../../../plugins/http/pages/connect/connect-page.ts';
import { chooseLanguage } from '../../../plugins/http/pages/connect/language.ts';
import { connectLook } from '../../../plugins/http/pages/connect/style.ts';
import type { TextName } from '../../../plugins/http/pages/connect/texts/en.ts';
import { type Language, TEXTS } from '../../../plugins/http/pages/connect/texts/index.ts';
import type { Reply } from '../../../plugins/http/route.ts';

const LANGUAGES = Object.keys(TEXTS) as Language[];
const NAMES = Object.keys(TEXTS.en) as TextName[];
const text = (reply: Reply) => String(reply.body);
const policyOf = ({ headers }: Reply) => headers?.['content-security-policy'] ?? '';

const request = {
  id: 'a'.repeat(48),
  externalId: '<user-42>',
  platform: 'instagram',
  handle: null,
  code: 'credence-abc',
  status: 'pending',
  checks: 4,
  maxChecks: 6,
  expiresAt: new Date('2026-11-01T10:00:00Z'),
} as unknown as ConnectionRequest;

const SHOWN = { platform: 'Instagram', look: connectLook(undefined), language: 'en', checkSeconds: 20 } as const;
const pending = (options: Partial<ConnectPageOptions> = {}, more: Partial<ConnectionRequest> = {}) =>
  connectPage({ kind: 'pending', request: { ...request, ...more } }, { ...SHOWN, ...options });

describe('the connect page', () => {
  it('announces what went wrong, with its status, and the handle that was looked at, escaped', () => {
    const reply = pending({ problem: { code: 'PLATFORM_UNAVAILABLE', status: 502 } });
    expect(reply.status).toBe(502);
    expect(text(reply)).toContain('role="alert" class="notice">The platform cannot be read right now.');
    const missing = text(connectPage({ kind: 'not-found-in-bio', request, handle: '<x>' }, SHOWN));
    expect(missing).toContain('not in the bio of @&lt;x&gt; yet');
  });
});

describe('the brand of the connect page', () => {
  const acme = connectBrand.parse({ name: ' A<b>', logoUrl: 'https://cdn.example/a,b;c.png?v=1', color: '#FC0' });

  it('names whose account is linked, and allows its logo and no other image', () => {
    const branded = { look: connectLook(acme) };
    const reply = pending(branded);
    expect(text(reply)).toContain('<title>Connect your Instagram account · A&lt;b&gt;</title>');
    expect(text(reply)).toContain('<strong>&lt;user-42&gt;</strong> at A&lt;b&gt;.');
    expect(text(reply)).toContain('<img src="https://cdn.example/a,b;c.png?v=1" alt="" referrerpolicy="no-referrer">');
    expect(policyOf(reply)).toContain('; img-src https://cdn.example/a%2Cb%3Bc.png; ');
    const ended = connectPage({ kind: 'connected', request, account: null }, { ...SHOWN, ...branded });
    expect(text(ended)).toContain('is linked to the account <strong>&lt;user-42&gt;</strong> at A&lt;b&gt;.');
    expect(text(noSuchConnectPage({ ...branded, language: 'de' }))).toContain('<span>A&lt;b&gt;</span>');
    const inline = connectLook({ name: 'A', logoUrl: 'data:image/png;base64,AAAA' });
    expect(policyOf(pending({ look: inline }))).toContain('; img-src data:; ');
  });

  it('is the host of the way back if the operator names none', () => {
    const shown = text(pending({}, { returnUrl: 'https://app.example/me' }));
    expect(shown).toContain('<strong>&lt;user-42&gt;</strong> at app.example.');
  });

  it.each([
    { name: '' },
    { name: 'a'.repeat(81) },
    { logoUrl: 'http://cdn.example/a.png' },
    { logoUrl: 'https://cdn.example/' },
    { logoUrl: 'https://u:p@cdn.example/a.png' },
    { logoUrl: 'javascript:alert(1)' },
    { logoUrl: 'data:text/html;base64,AAAA' },
    { logoUrl: 'data:image/png;base64,AA"><script>' },
    { logoUrl: `data:image/png;base64,${'A'.repeat(65_536)}` },
    { color: '#123456;}' },
    { site: 'x' },
  ])('is refused: %j', (brand) => {
    expect(connectBrand.safeParse({ name: 'Acme', ...brand }).success).toBe(false);
  });

  it('can be read in any colour, in light and in dark', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    const channels = ['00', '40', '80', 'b0', 'ff'];
    const colors = channels.flatMap((r) => channels.flatMap((g) => channels.map((b) => `#${r}${g}${b}`)));
    for (const color of colors) {
      expect(contrast(color, textOn(color)), color).toBeGreaterThanOrEqual(4.5);
      for (const page of ['#ffffff', '#101418', '#777777']) {
        expect(contrast(page, readableOn(page, color)), `${color} on ${page}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    // What can be read stays as it is.
    expect(readableOn('#ffffff', '#1257c9')).toBe('#1257c9');
    const { css } = connectLook(acme).still;
    expect(css).toContain('background:#ffcc00;color:#000000');
    expect(css.match(/--accent:#\w+/g)).toEqual(['--accent:#8c7000', '--accent:#ffcc00']);
  });
});

describe('the language of the connect page', () => {
  it.each([
    [undefined, undefined, 'en'],
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    [undefined, 'PT-br', 'pt'],
    [undefined, 'es;q=0.8,ja;q=0.8', 'es'],
    [undefined, 'de;q=0, fr;q=0.1', 'fr'],
    [undefined, '*;q=0.5, es;q=0.1', 'en'],
    [undefined, 'de;q=2, es;q=0.1', 'es'],
    [undefined, 'de;level=1;q=0.2, es;q=0.3', 'es'],
    [undefined, 'deutsch, enx, fr_FR;q=0.1', 'fr'],
    [undefined, '__proto__, constructor', 'en'],
    [undefined, `${'zz,'.repeat(20)}de`, 'en'],
    [undefined, `${' '.repeat(1_000)}de`, 'en'],
    ['pt-BR', 'de', 'pt'],
    ['xx', 'de', 'de'],
    ['toString', undefined, 'en'],
  ])('is for ?lang=%s and %s: %s', (lang, header, language) => {
    expect(chooseLanguage(lang, header)).toBe(language);
  });

  it.each(LANGUAGES)('%s has every text, with the placeholders of English', (language) => {
    const texts = TEXTS[language];
    const placeholders = (name: TextName, of: Readonly<Record<TextName, string>>) =>
      [...of[name].matchAll(/\{(\w+)\}/g)].map(([, placeholder]) => placeholder).toSorted();
    expect(Object.keys(texts)).toEqual(NAMES);
    for (const name of NAMES) {
      expect(texts[name].trim(), name).not.toBe('');
      expect(placeholders(name, texts), name).toEqual(placeholders(name, TEXTS.en));
      expect(texts[name], name).not.toMatch(/[<>&"]|\{[^a-z]|[^a-z]\}/);
      if (language !== 'en' && name !== 'handleExample') expect(texts[name], name).not.toBe(TEXTS.en[name]);
    }
  });

  it.each(LANGUAGES)('%s is named by the page, and fills every text in', (language) => {
    const reply = pending({ language, look: connectLook({ name: 'Acme' }), proofUrls: ['https://www.instagram.com/'] });
    expect(text(reply)).toContain(`<html lang="${language}">`);
    expect(reply.headers).toMatchObject({ 'content-language': language, vary: 'accept-language' });
    expect(text(reply)).toContain('Acme');
    for (const part of ['credence-abc', 'Instagram', '2026', 'UTC']) expect(text(reply)).toContain(part);
    const views = (['pending', 'expired', 'failed', 'connected'] as const).map((kind) =>
      connectPage({ kind, request, account: null }, { ...SHOWN, language }),
    );
    const bodies = [reply, ...views, noSuchConnectPage({ ...SHOWN, language })].map(text);
    for (const body of bodies) expect(body.replace(/<style>.*<\/style>/s, '')).not.toMatch(/\{\w*\}|undefined/);
  });

  it('writes dates as the language does', () => {
    const dates = LANGUAGES.map((language) => /<time[^>]*>([^<]+)</.exec(text(pending({ language })))?.[1]);
    expect(new Set(dates).size).toBe(LANGUAGES.length);
    expect(dates[LANGUAGES.indexOf('ja')]).toContain('2026年11月1日');
  });

  it('says each failure in its own words', () => {
    const codes = [
      'INVALID_REQUEST',
      'PROFILE_NOT_FOUND',
      'PROFILE_PRIVATE',
      'CONFLICT',
      'SCRAPING_RATE_LIMITED',
      'NOT_SUPPORTED',
      'PLATFORM_TIMEOUT',
    ] as const;
    for (const language of LANGUAGES) {
      const notices = codes.map(
        (code) => /class="notice">([^<]+)</.exec(text(pending({ language, problem: { code, status: 400 } })))?.[1],
      );
      expect(new Set(notices).size).toBe(codes.length);
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { JsonObject, Verdict } from '../../../adapters/scraping/index.ts';
import { isLogin, readApi, readPage, readRefusal, redirectTarget } from '../../../adapters/tiktok/answers.ts';
import { type Answer, answer, visitor } from '../scraping/answer.ts';
import { solvable, wafPage } from './waf-page.ts';

const reading = () => ({ identity: visitor(), signal: new AbortController().signal });
const page = (given: Answer) => readPage(answer(given), reading(), 'data');
const api = (given: Answer) => readApi(answer(given), reading());
const refusal = (given: Answer) => readRefusal(answer(given));
const blocked = (reason: string) => ({ kind: 'blocked', reason });
const unreadable = (reason: string, more: object = {}) => ({ kind: 'unreadable', reason, ...more });
const ONCE_MORE = { retries: 1, immediately: true };
const WAF = wafPage(solvable('7'));

describe('a refusal', () => {
  const redirect = (status: number, location?: string): Answer => ({
    status,
    ...(location === undefined ? {} : { headers: { location } }),
  });
  const throttled = (retryAfterSeconds?: number) => ({ kind: 'throttled', retryAfterSeconds });
  const later = (after: string): Answer => ({ status: 429, headers: { 'retry-after': after } });

  it.each<[string, Answer, object | null]>([
    ['429', { status: 429, text: '{}' }, throttled()],
    ['429 with a time', later('30'), throttled(30)],
    ['429 with a date', later('Sun, 22 Nov 2026 08:01:00 GMT'), throttled(60)],
    ['401', { status: 401, text: '{}' }, blocked('http-401')],
    ['403', { status: 403, text: '{}' }, blocked('http-403')],
    ['500', { status: 500, text: '{}' }, unreadable('http-500', { retries: 2 })],
    ['404, which is no proof', { status: 404, text: '{}' }, unreadable('http-404')],
    ['204, which has no data', { status: 204, text: '{}' }, unreadable('http-204')],
    ['400', { status: 400, text: '{}' }, unreadable('http-400')],
    ['a body of blanks', { text: ' \n' }, blocked('empty-body')],
    ['a demand to verify', { text: '{"type":"verify"}' }, blocked('verify')],
    ['no refusal: JSON of another type', { text: '{"type":"other"}' }, null],
    ['no refusal: a list', { text: '[{"type":"verify"}]' }, null],
    ['no refusal: a long document', { text: `{"type":"verify","p":"${'x'.repeat(4096)}"}` }, null],
    ['no refusal: a page', { text: '<html>verify</html>' }, null],
    ['a redirect to the login', redirect(302, '/login?from=x'), blocked('login-wall')],
    ['a redirect to a captcha', redirect(302, '/captcha?x=1'), blocked('captcha')],
    ['a redirect elsewhere', redirect(301, '/about'), unreadable('redirect')],
    ['a redirect to nowhere', redirect(300), unreadable('redirect')],
    ['another use of 3xx', { status: 399, text: '{}' }, unreadable('redirect')],
  ])('is read from %s', (_name, given, verdict) => {
    expect(refusal(given)).toEqual(verdict);
  });
});

describe('the target of a redirect', () => {
  const target = (location?: string) =>
    redirectTarget(
      answer({ url: 'https://tiktok.test/a/b', ...(location === undefined ? {} : { headers: { location } }) }),
    )?.href ?? null;

  it('is absolute, whatever form it was sent in', () => {
    expect(target('c')).toBe('https://tiktok.test/a/c');
    expect(target('/c?d=1')).toBe('https://tiktok.test/c?d=1');
    expect(target('http://other.test/')).toBe('http://other.test/');
  });

  it.each([undefined, 'http://', 'javascript:alert(1)', 'xhttps://a.test/', 'httpsx://a.test/'])(
    'is none for %s',
    (location) => {
      expect(target(location)).toBeNull();
    },
  );

  it('is none for a location longer than 4096 characters', () => {
    expect(target(`/${'x'.repeat(4095)}`)).not.toBeNull();
    expect(target(`/${'x'.repeat(4096)}`)).toBeNull();
  });

  it('is the login by its path alone', () => {
    const paths = ['/login', '/login/phone', '/loginx', '/a/login', '/?next=/login'];
    expect(paths.filter((path) => isLogin(new URL(path, 'https://tiktok.test')))).toEqual(['/login', '/login/phone']);
  });
});

describe('the data of a page', () => {
  const script = (content: string, attributes = 'id="data"') => `<p></p><script ${attributes}>${content}</script>`;
  const data = { kind: 'ok', value: { a: 1 } };

  it.each([
    ['in double quotes', 'type="application/json" id="data"'],
    ['in single quotes', "id='data'"],
  ])('is in the script with its id, %s', async (_name, attributes) => {
    expect(await page({ text: script('{"b":2}', 'id="other"') + script('{"a":1}', attributes) })).toEqual(data);
  });

  it.each(['{"a":', '[1]', 'null', ''])('is broken if the script holds %j', async (content) => {
    expect(await page({ text: script(content) })).toEqual(unreadable('broken-json'));
  });

  it.each([404, 410])('is read on a page of status %i, which is no answer without it', async (status) => {
    expect(await page({ text: script('{"a":1}'), status })).toEqual(data);
    expect(await page({ text: script('{"a":'), status })).toEqual(unreadable(`http-${status}`));
    expect(await page({ text: '<p></p>', status })).toEqual(unreadable(`http-${status}`));
  });

  it('may be missing on a good page, which is looked at once more', async () => {
    expect(await page({ text: script('{}', 'id="database"') })).toEqual(unreadable('no-rehydration-data', ONCE_MORE));
  });

  it('is read though the page also speaks of captchas', async () => {
    expect(await page({ text: `${script('{"a":1}')} secsdk-captcha` })).toEqual(data);
  });

  it('is not there behind a captcha or a refusal', async () => {
    expect(await page({ text: '<div class="captcha_verify_img_slide">' })).toEqual(blocked('captcha'));
    expect(await page({ text: '<div id="secsdk-captcha">' })).toEqual(blocked('captcha'));
    expect(await page({ text: 'captcha' })).toEqual(unreadable('no-rehydration-data', ONCE_MORE));
    expect(await page({ text: script('{"a":1}'), status: 403 })).toEqual(blocked('http-403'));
  });
});

describe('the body of an API answer', () => {
  it('is its object', async () => {
    expect(await api({ text: '{"a":1}' })).toEqual({ kind: 'ok', value: { a: 1 } });
  });

  it.each([
    ['a page', '  <html></html>', unreadable('html-instead-of-json', { retries: 1 })],
    ['text', 'sorry < later', unreadable('broken-json', { retries: 1 })],
    ['a list', '[1]', unreadable('broken-json', { retries: 1 })],
    ['a captcha', '<div id="secsdk-captcha">', blocked('captcha')],
  ])('is not in %s', async (_name, text, verdict) => {
    expect(await api({ text })).toEqual(verdict);
  });

  it('is not there behind a refusal', async () => {
    expect(await api({ text: '{"a":1}', status: 500 })).toEqual(unreadable('http-500', { retries: 2 }));
  });
});

describe('the challenge of the firewall', () => {
  const readers: [string, (given: Answer, by: ReturnType<typeof reading>) => Promise<Verdict<JsonObject>>][] = [
    ['page', (given, by) => readPage(answer(given), by, 'data')],
    ['API', (given, by) => readApi(answer(given), by)],
  ];

  it.each(readers)('is solved in place of a %s, and asked again at once as the same visitor', async (_name, read) => {
    for (const status of [200, 299, 400, 403, 500]) {
      const by = reading();
      expect(await read({ text: WAF, status }, by)).toEqual(unreadable('waf', ONCE_MORE));
      expect([...by.identity.cookies.keys()]).toEqual(['_wafchallengeid', 'waforiginalreid']);
      expect(by.identity.cookies.get('waforiginalreid')).toBe('abc-123');
    }
  });

  it.each(readers)('in place of a %s that cannot be solved is no reason to ask again', async (_name, read) => {
    const by = reading();
    expect(await read({ text: wafPage({}) }, by)).toEqual(unreadable('waf-unsolved'));
    expect(by.identity.cookies.size).toBe(0);
  });

  it.each(readers)('is left unsolved in place of a %s that is throttled or redirected', async (_name, read) => {
    for (const status of [429, 300, 302, 399]) {
      const by = reading();
      expect(await read({ text: WAF, status }, by)).not.toMatchObject({ reason: 'waf' });
      expect(by.identity.cookies.size).toBe(0);
    }
  });

  it('is left when the call has ended', async () => {
    const by = { ...reading(), signal: AbortSignal.abort() };
    expect(await readApi(answer({ text: wafPage(solvable('999999')) }), by)).toEqual(unreadable('waf-unsolved'));
  });
});

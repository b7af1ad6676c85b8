import { describe, expect, it } from 'vitest';
import { browserHeaders } from '../../../adapters/scraping/browser.ts';

const agent = (system: string, rest: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`;
const WINDOWS = 'Windows NT 10.0; Win64; x64';
const chrome = (version: string, system = WINDOWS) => agent(system, `Chrome/${version}.0.0.0 Safari/537.36`);

describe('the headers of a browser', () => {
  it('are those of its user agent alone if it is not a Chromium', () => {
    for (const userAgent of [
      'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
      agent('Macintosh; Intel Mac OS X 10_15_7', 'Version/18.5 Safari/605.1.15'),
      'HeadlessChrome/154.0.0.0',
      'Chrome/abc.0',
    ]) {
      expect(browserHeaders(userAgent)).toEqual({ 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.9' });
    }
  });

  // What the browsers of these versions send.
  it.each([
    ['120', '"Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120"'],
    ['121', '"Not A(Brand";v="99", "Google Chrome";v="121", "Chromium";v="121"'],
    ['122', '"Chromium";v="122", "Not(A:Brand";v="24", "Google Chrome";v="122"'],
    ['123', '"Google Chrome";v="123", "Not:A-Brand";v="8", "Chromium";v="123"'],
    ['124', '"Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99"'],
    ['125', '"Google Chrome";v="125", "Chromium";v="125", "Not.A/Brand";v="24"'],
    ['126', '"Not/A)Brand";v="8", "Chromium";v="126", "Google Chrome";v="126"'],
    ['127', '"Not)A;Brand";v="99", "Google Chrome";v="127", "Chromium";v="127"'],
    ['128', '"Chromium";v="128", "Not;A=Brand";v="24", "Google Chrome";v="128"'],
    ['129', '"Google Chrome";v="129", "Not=A?Brand";v="8", "Chromium";v="129"'],
    ['130', '"Chromium";v="130", "Google Chrome";v="130", "Not?A_Brand";v="99"'],
  ])('name the brands of Chrome %s in its order', (version, brands) => {
    expect(browserHeaders(chrome(version))['sec-ch-ua']).toBe(brands);
  });

  it('name Edge as what it is', () => {
    const edge = agent(WINDOWS, 'Chrome/124.0.0.0 Safari/537.36 Edg/124.0.0.0');
    expect(browserHeaders(edge)['sec-ch-ua']).toContain('"Microsoft Edge";v="124"');
    expect(browserHeaders(edge)['sec-ch-ua']).not.toContain('Google');
  });

  it.each([
    [WINDOWS, 'Windows'],
    ['Macintosh; Intel Mac OS X 10_15_7', 'macOS'],
    ['X11; Linux x86_64', 'Linux'],
    ['X11; CrOS x86_64 14541.0.0', 'Chrome OS'],
    ['Linux; Android 10; K', 'Android'],
  ])('name the system of %s', (system, name) => {
    expect(browserHeaders(chrome('124', system))['sec-ch-ua-platform']).toBe(`"${name}"`);
  });

  it('tell phones from computers', () => {
    const phone = agent('Linux; Android 10; K', 'Chrome/124.0.0.0 Mobile Safari/537.36');
    const mobile = [phone, chrome('124')].map((each) => browserHeaders(each)['sec-ch-ua-mobile']);
    expect(mobile).toEqual(['?1', '?0']);
  });
});

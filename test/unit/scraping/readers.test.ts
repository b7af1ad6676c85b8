import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../adapters/scraping/backoff.ts';
import {
  asCount,
  asDigits,
  asUnixTime,
  asUrl,
  embeddedScripts,
  field,
  findAll,
  parseJson,
  parseRetryAfter,
} from '../../../adapters/scraping/index.ts';

describe('JSON of strangers', () => {
  it('keeps ids larger than 2^53', () => {
    expect(
      parseJson('{"pk":18104612041708229,"n":[9007199254740993],"small":12,"text":"1234567890123456789"}'),
    ).toEqual({
      pk: '18104612041708229',
      n: ['9007199254740993'],
      small: 12,
      text: '1234567890123456789',
    });
  });

  it('is undefined when it is none', () => {
    for (const text of ['', '{', '<html>', 'undefined', '{"a":1}}']) expect(parseJson(text)).toBeUndefined();
  });

  it('is found at any depth, in order, up to a limit', () => {
    expect(findAll([{ a: 1 }, { b: { a: 2, c: [{ a: { a: 3 } }] } }], 'a')).toEqual([1, 2, { a: 3 }, 3]);
    const deep = parseJson(`${'{"x":'.repeat(5000)}{"a":1}${'}'.repeat(5000)}`);
    expect(findAll(deep, 'a')).toEqual([]);
  });

  it('is read by own properties only', () => {
    expect(field({ a: [{ b: 1 }] }, 'a', 0, 'b')).toBe(1);
    expect(field({}, 'constructor')).toBeUndefined();
    expect(field(null, 'a')).toBeUndefined();
    expect(field('text', 'length')).toBeUndefined();
    expect(findAll(parseJson('{"__proto__":{"a":1}}'), 'a')).toEqual([1]);
  });

  it('holds counts, ids, times and URLs, or nothing', () => {
    expect([
      asCount(3),
      asCount('12'),
      asCount(-1),
      asCount(1.5),
      asCount('x'),
      asCount(2 ** 60),
      asCount(null),
    ]).toEqual([3, 12, null, null, null, null, null]);
    expect([asDigits('0012'), asDigits(7), asDigits(2 ** 60), asDigits('-1'), asDigits('')]).toEqual([
      '0012',
      '7',
      null,
      null,
      null,
    ]);
    expect([asUnixTime(1_790_975_127), asUnixTime(0), asUnixTime(1e12)]).toEqual([
      new Date(1_790_975_127_000),
      null,
      null,
    ]);
    expect([asUrl('https://a.example/x'), asUrl('javascript:alert(1)'), asUrl('/x'), asUrl(5)]).toEqual([
      'https://a.example/x',
      null,
      null,
      null,
    ]);
  });
});

describe('pages of strangers', () => {
  it('show their scripts in order', () => {
    const html = '<p><script>a</script><script type="x">{"b":1}</script ><script>never closed';
    expect([...embeddedScripts(html)]).toEqual([
      { attributes: '', content: 'a' },
      { attributes: ' type="x"', content: '{"b":1}' },
    ]);
  });

  it('cost no more than their length', () => {
    const hostile = ['<script'.repeat(500_000), `<script>${'<'.repeat(3_000_000)}`, '<script></script'.repeat(200_000)];
    for (const html of hostile) expect([...embeddedScripts(html)].length).toBeLessThanOrEqual(2000);
  });
});

describe('waiting', () => {
  const fixed = (byte: number) => ({ bytes: (length: number) => new Uint8Array(length).fill(byte) });

  it('doubles from 5 s to 120 s, spread by a fifth', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, fixed(0)))).toEqual([
      4000, 8000, 16_000, 32_000, 64_000, 96_000, 96_000,
    ]);
    expect(backoffMs(0, fixed(255))).toBe(6000);
    expect(backoffMs(9, fixed(255))).toBe(120_000);
  });

  it.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['0', 0],
    ['30', 30],
    [' 30 ', 30],
    ['999999999', 86_400],
    ['Sat, 21 Nov 2026 00:01:00 GMT', 60],
    ['Sat, 21 Nov 2026 00:00:00 GMT', 0],
    ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
    ['9'.repeat(5000), undefined],
    // A wait of nothing would have us come back at once.
    ['1.5', undefined],
    ['later 5', undefined],
  ])('reads Retry-After %s', (header, seconds) => {
    expect(parseRetryAfter(header, new Date('2026-11-21T00:00:00Z'))).toBe(seconds);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DomainError } from '../../../core/errors.ts';
import { parseInput } from '../../../plugins/http/parse-input.ts';
import {
  externalIdText,
  httpUrl,
  instant,
  optionalText,
  pageQuery,
  text,
  timestamp,
} from '../../../plugins/http/schemas.ts';

const readBy = (schema: { safeParse(value: unknown): { success: boolean; data?: unknown } }) => (value: unknown) => {
  const { success, data } = schema.safeParse(value);
  return success ? { data } : 'refused';
};

describe("a customer's own identifier", () => {
  const read = readBy(externalIdText('Whose.'));

  it.each([' z ', '\tz\n', '\u00a0z', 'É', 'E\u0301', `${' '.repeat(199)}z`])('is kept as it is: %j', (value) =>
    expect(read(value)).toEqual({ data: value }),
  );

  it.each([...['', '\t\n', '\u00a0\u3000\ufeff', 'x'.repeat(201), 'a\u0000', '\ud800', 7, null]])(
    'is refused: %j',
    (value) => expect(read(value)).toBe('refused'),
  );
});

describe('the page and limit of a list', () => {
  it.each([
    ['page', '99999999999999999999', 'must be at most 1000000'],
    ['limit', '0', 'must be at least 1'],
    ['limit', '1.5', 'must be an integer'],
  ])('of %s %s are told that it %s', (name, value, message) => {
    const read = () => parseInput(pageQuery, { [name]: value }, 'query');
    expect(read).toThrow(`query.${name}: ${message}`);
  });
});

describe('text for people', () => {
  it('is trimmed before it is measured, and wants a visible character', () => {
    const read = readBy(text(3));
    const found = [' abc\n', 'abcd', '  ', 'a\u0000', '\ud800'].map(read);
    expect(found).toEqual([{ data: 'abc' }, 'refused', 'refused', 'refused', 'refused']);
  });

  it('may be left out', () => {
    const read = readBy(optionalText(3));
    expect([' abc ', '  ', null, undefined, 'abcd'].map(read)).toEqual([
      { data: 'abc' },
      { data: null },
      { data: null },
      { data: undefined },
      'refused',
    ]);
  });
});

describe('a URL that is stored', () => {
  const read = readBy(httpUrl);
  const name = (length: number) => `${'a'.repeat(63)}.`.repeat(4).slice(0, length);

  it.each([
    'https://hooks.example.com/a?b=1#c',
    'http://example.com./',
    'http://[::1]/',
    'HTTPS://Hooks.Example.com:443/a/../%7e?x=[1]&y=%',
    `https://${name(253)}/`,
  ])('is kept as it is: %s', (url) => expect(read(url)).toEqual({ data: url }));

  it.each([
    ['https://münchen.example', 'https://xn--mnchen-3ya.example/'],
    ['https://x.example/a b?c=d e#f g', 'https://x.example/a%20b?c=d%20e#f%20g'],
    ['https://x.example/a%20b c', 'https://x.example/a%20b%20c'],
    [
      'https://x.example/|^`{}"<>\\?|^`{}"<>\\',
      'https://x.example/%7C%5E%60%7B%7D%22%3C%3E/?%7C%5E%60%7B%7D%22%3C%3E%5C',
    ],
    ['https://x.example/🔑\n\t', 'https://x.example/%F0%9F%94%91'],
  ])('becomes a URI: %j', (url, uri) => {
    expect(read(url)).toEqual({ data: uri });
    expect(uri).toMatch(/^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/);
    expect(read(uri)).toEqual({ data: uri });
  });

  it('is refused if the URI is too long', () => {
    expect(read(`https://x.example/${'ü'.repeat(338)}`)).toEqual({ data: `https://x.example/${'%C3%BC'.repeat(338)}` });
    expect(read(`https://x.example/${'ü'.repeat(339)}`)).toBe('refused');
  });

  it.each([
    'http://a.test/\u0000',
    'http://a.test/\ud800',
    'http://a..b/',
    'http://example.com../',
    'http://./',
    `https://${name(253)}b/`,
    'ftp://a.test/',
    'a.test',
  ])('is refused: %j', (url) => expect(read(url)).toBe('refused'));
});

describe('a time that a client names', () => {
  const read = readBy(instant);

  it.each([
    ['0000-01-01T01:00:00+01:00', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-00:00', '9999-12-31T23:59:59.000Z'],
    ['2026-01-01T00:00:00.123456789+02:00', '2025-12-31T22:00:00.123Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
  ])('%s is answered as a timestamp', (given, answered) => {
    expect(read(given)).toEqual({ data: new Date(answered) });
    expect(timestamp.safeParse(new Date(given).toISOString()).success).toBe(true);
  });

  it.each(['9999-12-31T23:59:59-00:01', '0000-01-01T00:00:00+00:01'])('%s is refused, for its year in UTC', (given) => {
    expect(instant.safeParse(given).error?.issues).toMatchObject([
      { message: 'must be within the years 0000 to 9999 in UTC' },
    ]);
  });

  it.each(['+010000-01-01T00:00:00Z', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', 'tomorrow', '', 0])(
    '%j is refused',
    (given) => expect(read(given)).toBe('refused'),
  );

  it.each(['2026-01-01', '2026-01-01T00:00:00', 'tomorrow', 0])('%j is refused with what to send', (given) => {
    expect(() => parseInput(z.object({ from: instant }), { from: given }, 'query')).toThrow(
      'Invalid request: query.from: must be an ISO 8601 time with an offset',
    );
  });
});

describe('a refused value', () => {
  const refusal = (schema: z.ZodType, value: unknown): unknown => {
    try {
      return parseInput(z.object({ field: schema }), { field: value }, 'body');
    } catch (error) {
      return (error as DomainError).details?.issues;
    }
  };

  it.each([
    [text(5), ' ', 'must have at least 1 character'],
    [z.string().min(2), 'a', 'must have at least 2 characters'],
    [z.array(z.string()).min(1), [], 'must have at least 1 entry'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
    [z.email(), 'ada', 'must be an e-mail address, such as name@example.com'],
    [httpUrl, '', 'must be a URL with its scheme, such as https://example.com'],
    [httpUrl, 'javascript:1', 'must be a URL with its scheme, such as https://example.com'],
    [httpUrl, 'https://a..b/', 'must have a host name of at most 253 characters without empty labels'],
  ])('is told once, and with what to write: %#', (schema, value, message) => {
    expect(refusal(schema, value)).toEqual([{ path: 'body.field', message }]);
  });
});

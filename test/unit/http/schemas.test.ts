import { describe, expect, it } from 'vitest';
import { externalIdText, optionalText, text } from '../../../plugins/http/schemas.ts';

const readBy = (schema: { safeParse(value: unknown): { success: boolean; data?: unknown } }) => (value: unknown) => {
  const { success, data } = schema.safeParse(value);
  return success ? { data } : 'refused';
};

describe("a customer's own identifier", () => {
  const read = readBy(externalIdText('Whose.'));

  it.each(['z', ' z', 'z ', ' z ', '\tz\n', '\u00a0z', 'É', 'E\u0301', 'x'.repeat(200), `${' '.repeat(199)}z`])(
    'is kept as it is: %j',
    (value) => expect(read(value)).toEqual({ data: value }),
  );

  it.each([
    '',
    ' ',
    '\t\n',
    '\u00a0\u3000\ufeff',
    'x'.repeat(201),
    ' '.repeat(201),
    'a\u0000',
    '\u0007',
    '\ud800',
    7,
    null,
  ])('is refused: %j', (value) => expect(read(value)).toBe('refused'));
});

describe('text for people', () => {
  it('is trimmed before it is measured, and wants a visible character', () => {
    const read = readBy(text(3));
    expect([' abc\n', 'abcd', '  ', 'a\u0000', '\ud800'].map(read)).toEqual([
      { data: 'abc' },
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
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

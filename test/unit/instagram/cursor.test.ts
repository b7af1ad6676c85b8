import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, endsAfter, type ListCursor } from '../../../adapters/instagram/cursor.ts';

const INVALID = expect.objectContaining({ code: 'INVALID_REQUEST' });

describe('a cursor', () => {
  const cursors: ListCursor[] = [
    { way: 'page', of: 'Cx1', after: 'ż"\\' },
    { way: 'session', of: 'Cx1', ends: { max: 'a', min: null } },
    { way: 'session', of: 'Cx1', ends: { max: null, min: 'b' } },
    { way: 'session', of: 'Cx1', ends: { max: 'a', min: 'b' } },
  ];

  it('comes back as it was handed out, in letters that need no escaping', () => {
    for (const cursor of cursors) {
      expect(encodeCursor(cursor)).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(encodeCursor(cursor), 'Cx1')).toEqual(cursor);
    }
  });

  it('of another list, or that nobody handed out, is refused', () => {
    const whole = encodeCursor(cursors[0] as ListCursor);
    const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(() => decodeCursor(whole, 'Cx2')).toThrow(INVALID);
    for (const text of [
      ...['', 'abc', `!${whole}`, `${whole}!`, `${whole}=`, ` ${whole}`],
      of(null),
      of({ way: 'other', of: 'Cx1', after: 'a' }),
      of({ way: 'page', of: 'Cx1', after: '' }),
      of({ way: 'page', of: 'Cx1', after: 'a', more: 1 }),
      of({ way: 'session', of: 'Cx1', ends: { max: null, min: null } }),
    ]) {
      expect(() => decodeCursor(text, 'Cx1'), text).toThrow(INVALID);
    }
  });
});

describe('what is left of a list', () => {
  const leftAfter = (before: Parameters<typeof endsAfter>[0], ...[max, min]: readonly [string, string]) => {
    const read = (end: string) => ({ has: end.startsWith('+'), next: end.slice(1) === '' ? null : end.slice(1) });
    const [older, newer] = [read(max), read(min)];
    return endsAfter(before, { hasMax: older.has, nextMax: older.next, hasMin: newer.has, nextMin: newer.next });
  };
  const ends = (max: string | null, min: string | null) => ({ max, min });

  // Of both ends, whether there is more (+ or -), and the cursor if there is one.
  it.each([
    ['-', '-', null],
    ['-a', '-b', null],
    ['+a', '-', ends('a', null)],
    ['-', '+b', ends(null, 'b')],
    ['+a', '+b', ends('a', 'b')],
    ['+a', '-b', ends('a', null)],
    ['-a', '+b', ends(null, 'b')],
    ['+', '-b', ends(null, 'b')],
    ['-a', '+', ends('a', null)],
    ['+', '+b', ends(null, 'b')],
    ['+a', '+', ends('a', null)],
    ['+', '-', 'broken'],
    ['-', '+', 'broken'],
  ])('after a first page with %s and %s is %j', (max, min, expected) => {
    expect(leftAfter(null, max, min)).toEqual(expected);
  });

  it.each([
    [ends('x', 'm'), '+a', '-', ends('a', 'm')],
    [ends('x', 'm'), '-', '+b', ends(null, 'm')],
    [ends('x', 'm'), '-', '-', ends(null, 'm')],
    [ends('x', 'm'), '-a', '+', ends('a', 'm')],
    [ends('x', 'm'), '+', '-', 'broken'],
    [ends('x', null), '+', '-b', 'broken'],
    [ends('x', 'm'), '+', '+b', 'broken'],
    [ends(null, 'm'), '-a', '+', 'broken'],
    [ends('x', null), '-', '-', null],
    [ends('x', null), '-', '+b', null],
    [ends('x', null), '+a', '+b', ends('a', null)],
    [ends(null, 'm'), '-', '+b', ends(null, 'b')],
    [ends(null, 'm'), '+a', '-', null],
    [ends(null, 'm'), '+a', '+b', ends(null, 'b')],
    [ends(null, 'm'), '+', '-b', ends(null, 'b')],
    [ends(null, 'm'), '-', '-', null],
    [ends(null, 'm'), '+', '+', 'broken'],
  ])('after %j and a page with %s and %s is %j', (before, max, min, expected) => {
    expect(leftAfter(before, max, min)).toEqual(expected);
  });
});

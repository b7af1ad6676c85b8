import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { encodeBase64Url } from '../../../core/security/base64.ts';
import { decodeCursor, encodeCursor } from '../../../core/security/opaque-cursor.ts';

const schema = z.strictObject({ of: z.string(), at: z.string() });
const place = { of: 'post', at: 'ünïcode "next"\u0000' };
const bytes = (text: string) => encodeBase64Url(new TextEncoder().encode(text));

describe('an opaque cursor', () => {
  it('comes back as it was given out, in characters that any URL takes', () => {
    const cursor = encodeCursor(place);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(cursor, schema)).toEqual(place);
  });

  it.each([
    ['text that is no Base64', 'not a cursor!'],
    ['an empty text', ''],
    ['padded Base64', `${encodeCursor({ of: 'a', at: 'b' })}=`],
    ['Base64 whose unused bits are set', 'eyJvZiI6ImEiLCJhdCI6ImIifR'],
    ['bytes that are no UTF-8', encodeBase64Url(Uint8Array.of(0x22, 0xff, 0x22))],
    ['text that is no JSON', bytes('{of:')],
    ['JSON of another shape', bytes('{"of":"post","at":7}')],
    ['null', bytes('null')],
    ['a field too many', bytes('{"of":"a","at":"b","__proto__":{"at":"c"},"x":1}')],
    ['more than 16,384 characters', encodeCursor({ of: 'post', at: 'x'.repeat(16_384) })],
  ])('is refused if it is %s', (_what, text) => {
    expect(decodeCursor(text, schema)).toBeNull();
  });
});

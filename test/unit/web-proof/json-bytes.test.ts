import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../core/web-proof/json-bytes.ts';

const written = (text: string) => Buffer.byteLength(JSON.stringify(text));

describe('the length of a text as JSON', () => {
  it('counts every character, escaped or not', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      if (unit >= 0xd800 && unit <= 0xdfff) continue;
      const text = String.fromCharCode(unit);
      if (jsonBytes(text) !== written(text)) expect([unit, jsonBytes(text)]).toEqual([unit, written(text)]);
    }
    for (const point of [0x10000, 0x1f600, 0x10ffff]) {
      const text = String.fromCodePoint(point);
      expect([point, jsonBytes(text)]).toEqual([point, written(text)]);
    }
  });

  it('adds up all of them', () => {
    for (const text of ['', 'a', '{"a":"ż\\u0001\n"}', '\u0001'.repeat(100), '👩‍💻 "naïve" 日本語']) {
      expect(jsonBytes(text)).toBe(written(text));
    }
  });
});

import { afterEach, expect, it, vi } from 'vitest';
import { withoutCase } from '../../../../core/web-proof/redaction/text-forms.ts';

const bytesOf = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('latin1');

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['UTF-8', bytesOf('É1', 'utf8'), bytesOf('é1', 'utf8')],
  ['Latin-1', bytesOf('É1', 'latin1'), bytesOf('é1', 'latin1')],
])('decodes a letter in %s once, however often it stands alone', (_name, text, small) => {
  const decode = vi.spyOn(TextDecoder.prototype, 'decode');
  expect(withoutCase(text.repeat(5_000))).toBe(small.repeat(5_000));
  expect(decode.mock.calls.length).toBeLessThanOrEqual(1);
});

it('takes small letters beyond those that it remembers', () => {
  const letters = Array.from({ length: 9_000 }, (_, index) =>
    String.fromCodePoint(0x10400 + (index % 40), 0x4e00 + index),
  );
  const text = letters.map((pair) => [...pair].join('1')).join('1');
  expect(withoutCase(bytesOf(text, 'utf8'))).toBe(bytesOf(text.toLowerCase(), 'utf8'));
});

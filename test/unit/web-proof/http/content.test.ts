import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createZlibContentDecoder } from '../../../../adapters/zlib-decoder/zlib-content-decoder.ts';
import { decodeContent, MAX_DECODED_BODY } from '../../../../core/web-proof/http/decode-content.ts';
import { parseResponse } from '../../../../core/web-proof/http/parse-response.ts';
import { hiding } from '../../../support/hidden-parts.ts';

const decoder = createZlibContentDecoder();
const PLAIN = Buffer.from('{"a":"żółć"}');
const encoded = {
  gzip: gzipSync(PLAIN),
  'x-gzip': gzipSync(PLAIN),
  deflate: deflateSync(PLAIN),
  br: brotliCompressSync(PLAIN),
  zstd: zstdCompressSync(PLAIN),
};

function decode(coding: string, body: Uint8Array, hideFrom?: number) {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
  const whole = Buffer.concat([head, body]);
  const hidden = hideFrom === undefined ? [] : [{ start: head.length + hideFrom, end: whole.length }];
  return decodeContent(parseResponse(hiding(whole, hidden), 'GET'), decoder);
}

describe('content codings', () => {
  for (const [coding, body] of Object.entries(encoded)) {
    it(`${coding} is undone`, async () => {
      expect(Buffer.from((await decode(coding, body))?.bytes ?? [])).toEqual(PLAIN);
    });

    it(`${coding} is refused when cut short or followed by other bytes`, async () => {
      await expect(decode(coding, body.subarray(0, -3))).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
      await expect(decode(coding, Buffer.concat([body, Buffer.from('more')]))).rejects.toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
      });
    });
  }

  it('several are undone last first', async () => {
    const body = gzipSync(brotliCompressSync(PLAIN));
    expect(Buffer.from((await decode('br, GZIP', body))?.bytes ?? [])).toEqual(PLAIN);
    await expect(decode('gzip, br', body)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  });

  it('are at most three', async () => {
    const thrice = gzipSync(gzipSync(deflateSync(PLAIN)));
    const decoded = await decode('deflate, x-gzip,, identity, gzip', thrice);
    expect(Buffer.from(decoded?.bytes ?? [])).toEqual(PLAIN);
    expect(decoded?.hidden).toEqual([]);
    await expect(decode('deflate, gzip, gzip, gzip', gzipSync(thrice))).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'Transcript parsing failed: response: more than 3 content codings.',
    });
  });

  it('of an empty body need no undoing', async () => {
    for (const coding of ['gzip', 'unknown']) {
      expect(await decode(coding, new Uint8Array())).toEqual({ bytes: new Uint8Array(), hidden: [] });
    }
  });

  it('what cannot be known is null: unknown codings, compressed bodies with hidden bytes', async () => {
    expect(await decode('compress', PLAIN)).toBeNull();
    expect(await decode('constructor', PLAIN)).toBeNull();
    expect(await decode('gzip', encoded.gzip, 12)).toBeNull();
    expect((await decode('identity', PLAIN, 3))?.hidden).toEqual([{ start: 3, end: PLAIN.length }]);
  });

  it('a body that would grow beyond the limit is refused, at the limit it is not', async () => {
    const fits = Buffer.alloc(MAX_DECODED_BODY, 1);
    const bomb = Buffer.alloc(MAX_DECODED_BODY + 1, 1);
    expect((await decode('gzip', gzipSync(fits)))?.bytes.length).toBe(MAX_DECODED_BODY);
    const br = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const compressed = { gzip: gzipSync, deflate: deflateSync, br, zstd: zstdCompressSync };
    for (const [coding, compress] of Object.entries(compressed)) {
      await expect(decode(coding, compress(bomb))).rejects.toThrow(/more than 2097152 bytes/);
    }
  });

  it('zstd with a window larger than HTTP allows is refused', async () => {
    // A frame with one raw byte, whose head says how large the window is.
    const frame = (exponent: number) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (exponent - 10) << 3, 9, 0, 0, 0x78]);
    expect((await decode('zstd', frame(23)))?.bytes).toHaveLength(1);
    await expect(decode('zstd', frame(24))).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  });
});

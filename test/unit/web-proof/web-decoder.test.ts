/** Content codings without Node's zlib. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createWebContentDecoder } from '../../../adapters/web-decoder/index.ts';
import { decodeContent, MAX_DECODED_BODY } from '../../../core/web-proof/http/decode-content.ts';
import { parseResponse } from '../../../core/web-proof/http/parse-response.ts';
import { allVisible } from '../../../core/web-proof/http/visible-bytes.ts';

const decoder = createWebContentDecoder();
const text = Buffer.from('{"text":"'.padEnd(5_000, 'süß 🎉 ').concat('"}'));
const COMPRESSED = [
  ['gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
] as const;

describe('the decoder of the web platform', () => {
  it('undoes gzip, deflate and raw deflate', async () => {
    for (const [coding, bytes] of COMPRESSED) {
      expect(Buffer.from(await decoder.decode(coding, bytes, 10_000)).equals(text)).toBe(true);
    }
    expect(await decoder.decode('gzip', gzipSync(''), 10)).toHaveLength(0);
  });

  it('refuses data that is cut short, changed or followed by other data', async () => {
    for (const [coding, bytes] of COMPRESSED) {
      for (const wrong of [bytes.subarray(0, -3), Buffer.concat([bytes, Buffer.from('more')]), Buffer.from('plain')]) {
        await expect(decoder.decode(coding, wrong, 10_000)).rejects.toMatchObject({
          code: 'INTERNAL_SERVER_ERROR',
          message: expect.stringMatching(/^Transcript parsing failed: body: its .* content is malformed/),
        });
      }
    }
  });

  it('stops at the bound: a small body cannot ask for much memory', async () => {
    const bomb = gzipSync(new Uint8Array(30 * 1024 * 1024));
    await expect(decoder.decode('gzip', bomb, MAX_DECODED_BODY)).rejects.toMatchObject({
      message: expect.stringContaining(`more than ${MAX_DECODED_BODY} bytes`),
    });
    expect(await decoder.decode('gzip', gzipSync(text), text.length)).toHaveLength(text.length);
    await expect(decoder.decode('gzip', gzipSync(text), text.length - 1)).rejects.toThrow('more than');
  });

  it('leaves a body in Brotli unknown', async () => {
    const body = brotliCompressSync(text);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\n\r\n`;
    const response = parseResponse(allVisible(Buffer.concat([Buffer.from(head), body])), 'GET');
    expect(await decodeContent(response, decoder, 'response')).toBeNull();
  });
});

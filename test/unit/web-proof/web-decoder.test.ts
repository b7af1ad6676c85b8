/** Content codings without Node's zlib: the verdicts are zlib's. */
import { brotliCompressSync, constants, crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createWebContentDecoder } from '../../../adapters/web-decoder/index.ts';
import { createZlibContentDecoder } from '../../../adapters/zlib-decoder/index.ts';
import type { ContentCoding, ContentDecoder } from '../../../core/ports/content-decoder.ts';
import { decodeContent, MAX_DECODED_BODY } from '../../../core/web-proof/http/decode-content.ts';
import { parseResponse } from '../../../core/web-proof/http/parse-response.ts';
import { allVisible } from '../../../core/web-proof/tlsnotary/visible-bytes.ts';
import { seededRandom } from '../../support/proof-builder.ts';
import { runs } from '../../support/property-runs.ts';

const decoder = createWebContentDecoder();
const zlib = createZlibContentDecoder();
const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];

/** What a decoder makes of a body, or that it refuses it. */
async function verdictOf(each: ContentDecoder, coding: ContentCoding, bytes: Uint8Array): Promise<string> {
  return each.decode(coding, bytes, 10_000).then(
    (content) => Buffer.from(content).toString('hex'),
    (error: { code: string }) => error.code,
  );
}

/** A member whose header has fields that no compressor of Node writes. */
function gzipMember({ flags, fields = Buffer.alloc(0) }: { flags: number; fields?: Uint8Array }): Buffer {
  const plain = gzipSync('named ');
  const fixed = Buffer.from(plain.subarray(0, 10));
  fixed[3] = flags;
  const head = Buffer.concat([fixed, fields]);
  const check = Buffer.alloc(flags & 0x02 ? 2 : 0);
  if (check.length > 0) check.writeUInt16LE(crc32(head) & 0xffff);
  return Buffer.concat([head, check, plain.subarray(10)]);
}

/** Extra data, a name and a comment. */
const headerFields = () => Buffer.from([3, 0, 1, 2, 3, ...Buffer.from('name\0comment\0')]);

const text = Buffer.from('{"text":"'.padEnd(5_000, 'süß 🎉 ').concat('"}'));

describe('the decoder of the web platform', () => {
  it('reads all members of gzip, as the host does (RFC 1952 section 2.2)', async () => {
    const one = gzipSync('one, ');
    for (const second of [gzipSync('two'), gzipSync(''), gzipMember({ flags: 0x1e, fields: headerFields() })]) {
      for (const each of [decoder, zlib]) {
        const [alone, both, thrice] = await Promise.all(
          [[second], [one, second], [second, one, second]].map((members) =>
            each.decode('gzip', Buffer.concat(members), 1_000).then((content) => Buffer.from(content).toString()),
          ),
        );
        expect([both, thrice]).toEqual([`one, ${alone}`, `${alone}one, ${alone}`]);
      }
    }
  });

  it('reads members of every kind of block, and content that looks like a member', async () => {
    const parts = [text, Buffer.alloc(70_000, 'a'), gzipSync(text), Buffer.alloc(0), Buffer.from('x')];
    const compressors = [
      ...STRATEGIES.map((strategy) => (part: Buffer) => gzipSync(part, { strategy })),
      (part: Buffer) => gzipSync(part, { level: 0 }),
      (part: Buffer) => gzipSync(part, { level: 9, memLevel: 1 }),
    ];
    const members = compressors.flatMap((compress) => parts.map((part) => compress(part)));
    const whole = Buffer.concat(compressors.flatMap(() => parts));
    for (const each of [decoder, zlib]) {
      expect(Buffer.from(await each.decode('gzip', Buffer.concat(members), whole.length)).equals(whole)).toBe(true);
      await expect(each.decode('gzip', Buffer.concat(members), whole.length - 1)).rejects.toThrow('more than');
    }
  });

  it('accepts and refuses what zlib does', async () => {
    const two = Buffer.concat([gzipSync('one'), gzipSync('two')]);
    const bodies: readonly (readonly ['gzip' | 'deflate', Uint8Array])[] = [
      ['gzip', gzipSync(text)],
      ['gzip', gzipSync('')],
      ['gzip', Buffer.from('plain')],
      ['gzip', two],
      ['gzip', two.subarray(0, -1)],
      ['gzip', Buffer.concat([two, Buffer.alloc(4)])],
      ['gzip', Buffer.concat([gzipSync('one'), Buffer.alloc(1), gzipSync('two')])],
      ['gzip', Buffer.concat([gzipSync('one'), gzipSync('two').subarray(0, 9)])],
      ['gzip', Buffer.concat([gzipSync('one').fill(0, 15, 19), gzipSync('two')])],
      ['gzip', Buffer.concat([gzipSync('one'), gzipSync('two').fill(0, 15)])],
      ['gzip', Buffer.concat([two, Buffer.from([0x1f])])],
      ['gzip', Buffer.concat([two, Buffer.from('more')])],
      ['gzip', Buffer.concat([two.subarray(0, 23), Buffer.from([0]), two.subarray(23)])],
      ['gzip', gzipMember({ flags: 0x1e, fields: headerFields().subarray(1) })],
      ['gzip', gzipMember({ flags: 0x20 })],
      ['gzip', gzipMember({ flags: 0x01 })],
      ['deflate', deflateSync(text)],
      ['deflate', deflateSync(text).subarray(0, -3)],
      ['deflate', deflateRawSync(text)],
      ['deflate', deflateRawSync(text).subarray(0, -3)],
      ['deflate', Buffer.concat([deflateSync('one'), deflateSync('two')])],
      ['deflate', Buffer.concat([deflateRawSync('one'), deflateRawSync('two')])],
      ['deflate', Buffer.concat([deflateSync('one'), Buffer.alloc(1)])],
      ['deflate', deflateSync('one', { dictionary: Buffer.from('one') })],
      ['deflate', Buffer.concat([Buffer.from([0x88, 0x1c]), deflateSync('one').subarray(2)])],
      ['deflate', Buffer.from([3, 0])],
      ['deflate', Buffer.from([6, 0])],
      ['deflate', Buffer.from([0, 1, 0, 0, 0, 7])],
      ['deflate', new Uint8Array()],
    ];
    for (const [coding, bytes] of bodies) {
      const [ours, theirs] = await Promise.all([decoder, zlib].map((each) => verdictOf(each, coding, bytes)));
      expect.soft(ours, `${coding} ${Buffer.from(bytes).toString('hex')}`).toBe(theirs);
    }
  });

  it('says of changed bodies what zlib says', async () => {
    const random = seededRandom(7);
    const packed = STRATEGIES.map((strategy) => gzipSync(text.subarray(0, 400), { strategy, level: 1 }));
    packed.push(gzipSync(text.subarray(0, 400), { level: 0 }), Buffer.concat([gzipSync('one'), gzipSync('two')]));
    packed.push(Buffer.concat(packed));
    for (let run = 0; run < runs(600).numRuns; run += 1) {
      const whole = packed[run % packed.length] as Uint8Array;
      // Without the checksums, so that what is wrong shows in the deflate data itself.
      const [coding, from, to] = run % 2 === 0 ? (['gzip', 0, whole.length] as const) : (['deflate', 10, -8] as const);
      const changed = Uint8Array.from(whole.subarray(from).subarray(0, to));
      for (let change = random.below(3); change >= 0; change -= 1)
        changed[random.below(changed.length)] = random.below(256);
      const [ours, theirs] = await Promise.all([decoder, zlib].map((each) => verdictOf(each, coding, changed)));
      expect.soft(ours, `${coding} ${Buffer.from(changed).toString('hex')}`).toBe(theirs);
    }
  });

  it('stops at the bound: a small body cannot ask for much memory', async () => {
    const bomb = gzipSync(new Uint8Array(3 * 1024 * 1024));
    await expect(decoder.decode('gzip', bomb, MAX_DECODED_BODY)).rejects.toMatchObject({
      message: expect.stringContaining(`more than ${MAX_DECODED_BODY} bytes`),
    });
    expect(await decoder.decode('gzip', gzipSync(text), text.length)).toHaveLength(text.length);
    await expect(decoder.decode('gzip', gzipSync(text), text.length - 1)).rejects.toThrow('more than');
  });

  it('stops at more members than bodies have', async () => {
    const members = (count: number) => Buffer.concat(Array(count).fill(gzipSync('')));
    await expect(decoder.decode('gzip', members(300), 10)).rejects.toThrow('too many members');
    expect(await decoder.decode('gzip', members(60), 10)).toHaveLength(0);
  });

  it('leaves a body in Brotli unknown', async () => {
    const body = brotliCompressSync(text);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\n\r\n`;
    const response = parseResponse(allVisible(Buffer.concat([Buffer.from(head), body])), 'GET');
    expect(await decodeContent(response, decoder)).toBeNull();
  });
});

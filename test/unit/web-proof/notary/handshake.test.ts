import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HandshakeUnusable, RecordTracker, readHandshake } from '../../../../adapters/local-notary/handshake.ts';
import { runs } from '../../../support/property-runs.ts';

const u16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const u24 = (value: number) => Buffer.from([value >> 16, (value >> 8) & 0xff, value & 0xff]);
const record = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type, 3, 3]), u16(body.length), body]);
const message = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type]), u24(body.length), body]);
const hello = (random: number) => Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32, random), Buffer.from([0])]);
const certificates = (...ders: Buffer[]) => {
  const list = Buffer.concat(ders.flatMap((der) => [u24(der.length), der]));
  return Buffer.concat([u24(list.length), list]);
};
const keyExchange = ({ curve = 0x17, scheme = 0x0403, signature = Buffer.alloc(70, 9) } = {}) =>
  Buffer.concat([
    Buffer.from([3]),
    u16(curve),
    Buffer.from([65]),
    Buffer.alloc(65, 4),
    u16(scheme),
    u16(signature.length),
    signature,
  ]);
const END = record(20, Buffer.from([1]));

const client = Buffer.concat([record(22, message(1, hello(0xc1))), END]);
const messages = (exchange = keyExchange()) =>
  Buffer.concat([
    message(2, hello(0x5e)),
    message(11, certificates(Buffer.from('leaf'), Buffer.from('issuer'))),
    message(22, Buffer.from('stapled')),
    message(12, exchange),
    message(14, Buffer.alloc(0)),
  ]);

describe('the handshake read back', () => {
  const expected = {
    clientRandom: new Uint8Array(32).fill(0xc1),
    serverRandom: new Uint8Array(32).fill(0x5e),
    certificates: [Uint8Array.from(Buffer.from('leaf')), Uint8Array.from(Buffer.from('issuer'))],
    serverEphemeralKey: new Uint8Array(65).fill(4),
    scheme: 3,
    signature: new Uint8Array(70).fill(9),
  };

  it('is the same however records cut the messages', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        const all = messages();
        const edges = [0, ...cuts.map((cut) => cut % all.length).sort((a, b) => a - b), all.length];
        const records = edges.slice(1).map((end, i) => record(22, all.subarray(edges[i], end)));
        const rest = record(22, Buffer.from('encrypted'));
        const server = Buffer.concat([record(21, Buffer.from([1, 0])), ...records, END, rest]);
        expect(readHandshake(client, server)).toEqual(expected);
      }),
    );
  });

  it.each([
    ['a resumed one', Buffer.concat([record(22, message(2, hello(1))), END])],
    ['another group', record(22, messages(keyExchange({ curve: 0x1d })))],
    ['SHA-1', record(22, messages(keyExchange({ scheme: 0x0201 })))],
    ['P-521', record(22, messages(keyExchange({ scheme: 0x0603 })))],
    ['nothing', Buffer.alloc(0)],
  ])('%s is unusable', (_what, server) => {
    expect(() => readHandshake(client, server)).toThrow(HandshakeUnusable);
  });

  it('never fails otherwise than by an error, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(), (noise, at) => {
        const server = Buffer.concat([record(22, messages()), END]);
        server.set(noise.subarray(0, server.length - (at % server.length)), at % server.length);
        try {
          readHandshake(client, server);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      runs(500),
    );
  });
});

describe('the end of a connection', () => {
  const tracker = (bytes: Buffer, step: number) => {
    const records = new RecordTracker();
    for (let at = 0; at < bytes.length; at += step) records.push(bytes.subarray(at, at + step));
    return records.endsWithAlert;
  };

  it.each([
    [[record(23, Buffer.alloc(40)), record(21, Buffer.alloc(26))], true],
    [[record(23, Buffer.alloc(40))], false],
    [[record(21, Buffer.alloc(26)), record(23, Buffer.alloc(1))], false],
    [[record(21, Buffer.alloc(26)).subarray(0, 30)], false],
    [[record(21, Buffer.alloc(26)), Buffer.from([23])], false],
    [[], false],
  ])('is orderly or not (%#)', (records, orderly) => {
    for (const step of [1, 3, 7, 1_000]) expect(tracker(Buffer.concat(records), step)).toBe(orderly);
  });
});

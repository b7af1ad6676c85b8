import { describe, expect, it } from 'vitest';
import {
  assemblePresentation,
  buildPresentation,
  type PresentationInput,
} from '../../../../core/web-proof/tlsnotary/build.ts';
import { decodePresentation } from '../../../../core/web-proof/tlsnotary/decode.ts';
import { verifyPresentation } from '../../../../core/web-proof/tlsnotary/verify-presentation.ts';
import * as example from '../../../support/worked-example.ts';

const build = (changes: Partial<PresentationInput>) => buildPresentation({ ...example, ...changes });
const trusting = { check: () => Promise.resolve({ ok: true } as const) };
const megabyte = new Uint8Array(1024 * 1024);

describe('building a presentation', () => {
  it('leaves out a direction that is hidden altogether', async () => {
    const bytes = await build({ revealed: { sent: [], received: example.revealed.received } });
    const { transcript, presentation } = await verifyPresentation(decodePresentation(bytes), trusting);
    expect(presentation.body.transcriptCommitments).toHaveLength(1);
    expect(transcript?.sent.hidden).toEqual([{ start: 0, end: example.sent.length }]);
    expect(Buffer.from(bytes).includes('a.test\r\n')).toBe(false);
  });

  it('salts each commitment again', async () => {
    const [one, two] = [await build({}), await build({})].map((bytes) => decodePresentation(bytes));
    expect(one?.transcript?.hashOpenings[0]?.blinder).not.toEqual(two?.transcript?.hashOpenings[0]?.blinder);
    expect(one?.header.id).not.toEqual(two?.header.id);
  });

  it('waits for a notary that signs elsewhere', async () => {
    const signer = { ...example.signer, sign: async (header: Uint8Array) => example.signer.sign(header) };
    await verifyPresentation(decodePresentation(await build({ signer })), trusting);
  });

  it('gives the same as data', async () => {
    const random = () => example.scriptedRandom(1, 2, 3, 4);
    const extensions = [{ id: Uint8Array.of(1), value: Uint8Array.of(2) }];
    const bytes = await build({ random: random(), extensions });
    expect(await assemblePresentation({ ...example, random: random(), extensions })).toEqual(decodePresentation(bytes));
  });

  const separate = (count: number) => Array.from({ length: count }, (_, i) => ({ start: 2 * i, end: 2 * i + 1 }));
  const extensions = (count: number) =>
    Array.from({ length: count }, () => ({ id: Uint8Array.of(1), value: new Uint8Array() }));
  const certificates = (count: number) => ({
    handshake: { ...example.handshake, certificates: Array.from({ length: count }, () => new Uint8Array(9)) },
  });
  const { sent, received } = example.revealed;

  it.each<[string, Partial<PresentationInput>]>([
    ['a transcript as large as there may be', { received: megabyte, revealed: { sent, received: [] } }],
    ['as many ranges as there may be', { received: megabyte, revealed: { sent: [], received: separate(10_000) } }],
    ['as many extensions as there may be', { extensions: extensions(64) }],
    ['as many certificates as there may be', certificates(8)],
    ['the first second', { time: 0 }],
    ['nothing at all', { sent: new Uint8Array(), revealed: { sent: [], received: [] } }],
  ])('takes %s', async (_title, changes) => {
    expect(decodePresentation(await build(changes)).transcript).not.toBeNull();
  });

  const seen = sent[0] ?? { start: 0, end: 8 };
  it.each<[string, Partial<PresentationInput>]>([
    [
      'the revealed ranges of the sent bytes are not canonical',
      { revealed: { sent: [{ start: 5, end: 5 }], received } },
    ],
    ['a revealed range ends beyond the sent bytes', { revealed: { sent: [seen, { start: 14, end: 42 }], received } }],
    ['received 1048577 bytes, at most 1048576 fit', { received: new Uint8Array(1024 * 1024 + 1) }],
    ['more than 10000 revealed ranges', { received: megabyte, revealed: { sent, received: separate(10_001) } }],
    ['more than 64 extensions', { extensions: extensions(65) }],
    ['the time is not in whole Unix seconds', { time: 1.5 }],
    ['the time is not in whole Unix seconds', { time: -1 }],
    ['hash algorithm 4 is not known', { hashAlgorithm: 4 }],
  ])('refuses before the notary signs it: %s', async (message, changes) => {
    const signer = { ...example.signer, sign: () => Promise.reject(new Error('signed')) };
    await expect(build({ ...changes, signer })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: `The presentation cannot be built: ${message}.`,
    });
  });

  it.each<[string, Partial<PresentationInput>, RegExp]>([
    [
      'more than a presentation can hold',
      { received: megabyte, revealed: { sent, received: [{ start: 0, end: megabyte.length }] } },
      /it would have 10\d{5} bytes, more than verifiers accept \(1048576\): hide fewer/,
    ],
    ['too many certificates', certificates(9), /nobody could read it: .*certificates: 9 is more than the limit of 8/],
  ])('refuses %s', async (_title, changes, message) => {
    const refused = { code: 'INTERNAL_SERVER_ERROR', message: expect.stringMatching(message) };
    await expect(build(changes)).rejects.toMatchObject(refused);
  });
});

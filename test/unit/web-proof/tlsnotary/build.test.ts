import { describe, expect, it } from 'vitest';
import { buildPresentation, type PresentationInput } from '../../../../core/web-proof/tlsnotary/build.ts';
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

  it('salts each commitment anew', async () => {
    const [one, two] = [await build({}), await build({})].map((bytes) => decodePresentation(bytes));
    expect(one?.transcript?.hashOpenings[0]?.blinder).not.toEqual(two?.transcript?.hashOpenings[0]?.blinder);
    expect(one?.header.id).not.toEqual(two?.header.id);
  });

  it('waits for a notary that signs elsewhere', async () => {
    const signer = { ...example.signer, sign: async (header: Uint8Array) => example.signer.sign(header) };
    await verifyPresentation(decodePresentation(await build({ signer })), trusting);
  });

  const REFUSED: Record<string, Partial<PresentationInput>> = {
    'ranges that are not canonical': { revealed: { sent: [{ start: 5, end: 5 }], received: [] } },
    'ranges beyond the end': { revealed: { sent: [{ start: 0, end: 42 }], received: [] } },
    'a transcript that is too large': { received: new Uint8Array(1024 * 1024 + 1) },
    'more than a presentation can hold': {
      received: megabyte,
      revealed: { sent: [], received: [{ start: 0, end: megabyte.length }] },
    },
    'a time that is not in whole seconds': { time: 1.5 },
    'an unknown hash algorithm': { hashAlgorithm: 4 },
    'too many certificates': {
      handshake: { ...example.handshake, certificates: Array.from({ length: 9 }, () => new Uint8Array(9)) },
    },
  };
  for (const [title, changes] of Object.entries(REFUSED)) {
    it(`refuses ${title}`, async () => {
      await expect(build(changes)).rejects.toMatchObject({
        code: 'INTERNAL_SERVER_ERROR',
        message: expect.stringContaining('cannot be built'),
      });
    });
  }
});

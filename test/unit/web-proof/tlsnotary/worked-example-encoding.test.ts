import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { encodeBytes } from '../../../../core/web-proof/tlsnotary/byte-encoding.ts';
import { decodePresentation } from '../../../../core/web-proof/tlsnotary/decode.ts';
import { encodePresentation } from '../../../../core/web-proof/tlsnotary/encode.ts';
import { HASH } from '../../../../core/web-proof/tlsnotary/hash-algorithms.ts';
import type { Presentation } from '../../../../core/web-proof/tlsnotary/presentation.ts';
import { sliceRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';
import { verifyPresentation } from '../../../../core/web-proof/tlsnotary/verify-presentation.ts';
import { signAgain } from '../../../support/proof-builder.ts';
import * as example from '../../../support/worked-example.ts';

const fill = (length: number, byte: number) => new Uint8Array(length).fill(byte);
const key = { seed: fill(32, 0x07), delta: fill(16, 0x09) };
const BLAKE3 = HASH.blake3;
const revealed = { sent: example.revealed.sent, received: [{ start: 19, end: 21 }] };

/** The known presentation, from its parts; root and signature are computed. */
function presentation(): Promise<Presentation> {
  const encodingRoot = hexToBytes('6c70ec91bcd86f52b7a407af15bff59c29fb3c706f0974bc0dd0f4502e111833');
  const sibling = hexToBytes('40d18e45a4ad70ef44e3f2979c463d373bd67de39bcd3f7cc1a5ef64f9dfccbe');
  const field = <T>(id: number, value: T) => ({ id, value });
  return signAgain(
    {
      signature: { algorithm: 1, data: new Uint8Array() },
      header: { id: fill(16, 0xa2), version: 0, root: { algorithm: BLAKE3, value: new Uint8Array(32) } },
      body: {
        verifyingKey: field(0, example.signer.verifyingKey),
        connectionInfo: field(1, { time: example.time, tlsVersion: 0, sentLength: 41, receivedLength: 21 }),
        serverEphemeralKey: field(2, example.handshake.serverEphemeralKey),
        certificateCommitment: field(3, { algorithm: BLAKE3, value: fill(32, 0xcc) }),
        extensions: [],
        transcriptCommitments: [
          field(4, { kind: 'encoding', root: { algorithm: BLAKE3, value: encodingRoot }, ...key }),
        ],
      },
      bodyProof: { algorithm: BLAKE3, leafCount: 5, hashes: [] },
      identity: null,
      transcript: {
        sent: { bytes: sliceRanges(example.sent, revealed.sent), ranges: revealed.sent, total: 41 },
        received: { bytes: sliceRanges(example.received, revealed.received), ranges: revealed.received, total: 21 },
        encodingProof: {
          proof: { algorithm: BLAKE3, leafCount: 3, hashes: [sibling] },
          openings: [
            { leaf: 0, direction: 'sent', ranges: revealed.sent, blinder: fill(16, 0xe0) },
            { leaf: 2, direction: 'received', ranges: revealed.received, blinder: fill(16, 0xe2) },
          ],
        },
        hashOpenings: [],
      },
    },
    example.signer,
  );
}

const nobody = { check: () => Promise.reject(new Error('There is no identity to check')) };

describe('the worked example with an encoding commitment', () => {
  it('encodes a byte as known', () => {
    const zero = encodeBytes(key, 'received', 19, Uint8Array.of(0));
    expect(bytesToHex(zero.subarray(0, 32))).toBe('8020f1d8b42bd482e335081cdcbc391c43029da2b77dcd409f46c31fa12539a9');
    expect(bytesToHex(encodeBytes(key, 'received', 19, Uint8Array.of(0x68)))).toBe(
      '8020f1d8b42bd482e335081cdcbc391c43029da2b77dcd409f46c31fa12539a96f955059bd31ba5b5ae2fda768df3a051179bbb426cad576ed6713886dca6e746067779fb354bad18c5bf66674961793ee40827e58fb1bd48fedce0d984e914f14ded2cb3216b361e4d57d68484647e9aeb516d71c682d261d85eb7393599046',
    );
  });

  it('gives the known presentation, byte for byte, and it verifies', async () => {
    const bytes = encodePresentation(await presentation());
    expect(bytes.length).toBe(789);
    expect(bytesToHex(sha256(bytes))).toBe('79bf64d651738795e9d41766852c5dea45ba52692340909af060e1f5c8418066');
    const verified = await verifyPresentation(decodePresentation(bytes), nobody);
    expect(verified.serverName).toBeNull();
    expect(verified.notaryKeyFingerprint).toBe('f1d12012406b87afb27f6dd16ac0a76fcdaa55ed820926232b26f5132dc0cb41');
    expect(new TextDecoder().decode(verified.transcript?.received.bytes)).toBe(`${'X'.repeat(19)}hi`);
  });
});

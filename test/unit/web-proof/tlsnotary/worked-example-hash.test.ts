import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { assemblePresentation, buildPresentation } from '../../../../core/web-proof/tlsnotary/build.ts';
import { HASH, hashFunction } from '../../../../core/web-proof/tlsnotary/hash-algorithms.ts';
import { merkleLevels } from '../../../../core/web-proof/tlsnotary/merkle.ts';
import { bodyLeaves, signedHeader } from '../../../../core/web-proof/tlsnotary/struct-hash.ts';
import * as example from '../../../support/worked-example.ts';

const ascii = (text: string) => new TextEncoder().encode(text);

function input() {
  return {
    signer: example.signer,
    time: example.time,
    serverName: example.serverName,
    handshake: example.handshake,
    sent: example.sent,
    received: example.received,
    revealed: example.revealed,
    extensions: [{ id: ascii('note'), value: ascii('v1') }],
    random: example.scriptedRandom(0xb0, 0xb1, 0xb2, 0xa1),
  };
}

describe('the worked example with hash commitments', () => {
  it('gives the known hashes of every part', async () => {
    const { header, body, signature } = await assemblePresentation(input());
    const leaves = bodyLeaves(HASH.sha256, body);
    expect(bytesToHex(body.certificateCommitment.value.value)).toBe(
      '2f98283a535d4fa05bdc960aeb96ee6fce8004839bbb78618c8ab4534ff8639a',
    );
    expect(leaves.map(bytesToHex)).toEqual([
      'f4ce5629c57a9ca6ec6e4873854dee13e95c54bbcecf5d2e1296b07f7725ebc2',
      'd4b569123202f1049d2d715ccd5d89629dd98eb6519e7075de6949e82d23f8b8',
      '7182fb10b42d2e5070030aac44e5676da2cae999f23e770495e964b210584fd1',
      '843081ec511576079b72265fec46edbf93fdc5f5476b6863bb252759f0df36d9',
      'b254eab566415e2b1d55fcd90637d0ca7342397afc0045442e969ebf8c4c1d61',
      'ceb996d8f70ec02852544e87229d1d118eeb287c3a64f71cedb8b6a610051223',
      '748787162a01e0886195c5a9984e68809f939d4849aefac8a829bbdc58af61ea',
    ]);
    const hash = hashFunction(HASH.sha256);
    if (hash === undefined) throw new Error('SHA-256 is missing');
    const levels = merkleLevels(hash, leaves).map((level) => level.map(bytesToHex));
    expect(levels[1]?.[1]).toBe('27d135c8294c94dd017f8c999a9e4677fb24154d706fe9b12144d24b7bdd4da4');
    expect(levels[1]?.[3]).toBe('748787162a01e0886195c5a9984e68809f939d4849aefac8a829bbdc58af61ea');
    expect(levels[2]).toEqual([
      '26f0ea3298800674068ae58e7e3de0c84b16e7896ca5fc7da96047f84a99354d',
      '3e4be63b37be06fc335ab79bfa440ff895266c3a681d38828855ce0bebd5dccd',
    ]);
    expect(bytesToHex(signedHeader(header))).toBe(
      'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10000000001208bd69fb1c629a8ad12b12e47af7ea21131196c8bac57f02715b9f4457ee8cd47',
    );
    expect(bytesToHex(signature.data)).toBe(
      '0dd9a1f8a7219516bed3586fba5a70116faa183d9b4c36eb367f2afa65dcb5340acf688fc106289395d2b6af67e9da2256df3e0d92cda048b47cce731141fca1',
    );
  });

  it('gives the known presentation, byte for byte', async () => {
    const bytes = await buildPresentation(input());
    expect(bytes.length).toBe(1523);
    expect(bytesToHex(sha256(bytes))).toBe('47e6f1ab10a9bf88b78d18cce0978494c1fcfc1ff577fc3930f82b1882b4924a');
    expect(bytesToHex(bytes)).not.toContain(bytesToHex(ascii('secret')));
  });
});

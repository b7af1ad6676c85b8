import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { describeJournal } from '../../../core/web-proof/journal/decode-help.ts';
import { encodeAbi } from '../../../core/web-proof/journal/encode.ts';
import { claimDigest, fakeSeal } from '../../../core/web-proof/journal/fake-seal.ts';
import { journalMembers } from '../../../core/web-proof/journal/journal.ts';

const members = journalMembers({
  notaryKeyFingerprint: new Uint8Array(32).fill(0xab),
  facts: { method: 'GET', url: 'https://api.github.com/graphql', tlsTimestamp: 1_763_600_000 },
  queries: ['price', 'symbol'],
  values: [
    { kind: 'uint256', text: '149' },
    { kind: 'string', text: 'a "b" ☃' },
  ],
});
const extractionHash = '0x3fadc0ed183e4f7d3af541d67afd1e830260be2d2cf542109f85988f16c83f2b';

describe('the journal', () => {
  it('is the ABI encoding of its members, in the order of the specification', () => {
    const types = parseAbiParameters('bytes32, string, string, uint256, bytes32, uint256, string');
    expect(decodeAbiParameters(types, toHex(encodeAbi(members)))).toEqual([
      `0x${'ab'.repeat(32)}`,
      'GET',
      'https://api.github.com/graphql',
      1_763_600_000n,
      extractionHash,
      149n,
      'a "b" ☃',
    ]);
  });

  it('is encoded as another implementation does it', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }).map((text) => ({ type: 'string' as const, value: text })),
      fc.bigInt(0n, 2n ** 256n - 1n).map((number) => ({ type: 'uint256' as const, value: number })),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), (values) => {
        const types = values.map(({ type }) => ({ type }));
        expect(toHex(encodeAbi(values))).toBe(
          encodeAbiParameters(
            types,
            values.map((each) => each.value),
          ),
        );
      }),
    );
  });

  it('keeps the zeros before a fingerprint, and JSON texts as strings', () => {
    const [fingerprint, ...rest] = journalMembers({
      notaryKeyFingerprint: new Uint8Array(32).fill(1, 31),
      facts: { method: 'GET', url: '', tlsTimestamp: 0 },
      queries: [],
      values: [{ kind: 'json', text: '-1' }],
    });
    expect(fingerprint).toEqual({ name: 'notaryKeyFingerprint', type: 'bytes32', value: `0x${'0'.repeat(62)}01` });
    expect(rest.map(({ name }) => name)).toEqual([
      'method',
      'url',
      'tlsTimestamp',
      'extractionHash',
      'extractedValue0',
    ]);
    expect(rest.at(-1)).toEqual({ name: 'extractedValue0', type: 'string', value: '-1' });
  });

  it('comes with help to decode it', () => {
    expect(describeJournal(members)).toEqual({
      journalTypes: ['bytes32', 'string', 'string', 'uint256', 'bytes32', 'uint256', 'string'],
      journalValues: [
        `0x${'ab'.repeat(32)}`,
        '"GET"',
        '"https://api.github.com/graphql"',
        '1763600000',
        extractionHash,
        '149',
        '"a \\"b\\" ☃"',
      ],
      solidityCodeSnippet: [
        '(',
        '    bytes32 notaryKeyFingerprint,',
        '    string memory method,',
        '    string memory url,',
        '    uint256 tlsTimestamp,',
        '    bytes32 extractionHash,',
        '    uint256 extractedValue0,',
        '    string memory extractedValue1',
        ') = abi.decode(journalDataAbi, (bytes32, string, string, uint256, bytes32, uint256, string));',
        'require(',
        '    keccak256(abi.encode(notaryKeyFingerprint, method, url, tlsTimestamp, extractionHash, extractedValue0, extractedValue1)) == keccak256(journalDataAbi),',
        '    "The journal has other types."',
        ');',
        '{',
        '    uint256[7] memory words = abi.decode(journalDataAbi, (uint256[7]));',
        '    require(',
        '        extractedValue0 != words[6],',
        '        "The journal can be read with other types."',
        '    );',
        '}',
      ].join('\n'),
    });
  });
});

describe('the fake seal', () => {
  it('is four bytes and a digest that depends on program and journal', () => {
    const id = new Uint8Array(32).fill(1);
    const journal = Uint8Array.of(1, 2, 3);
    const seal = fakeSeal(id, journal);
    expect(seal).toHaveLength(36);
    expect(toHex(seal.subarray(0, 4))).toBe('0xffffffff');
    expect(seal.subarray(4)).toEqual(claimDigest(id, journal));
    // RISC Zero's struct hash by hand: tag, members, data in little-endian words, the number of members in 16 bits.
    const digest = (...parts: readonly (string | Uint8Array)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
    const zeros = new Uint8Array(32);
    const output = digest(digest('risc0.Output'), digest(journal), zeros, Uint8Array.of(2, 0));
    const state = digest(digest('risc0.SystemState'), zeros, Uint8Array.of(0, 0, 0, 0, 1, 0));
    const words = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 4, 0);
    expect(Buffer.from(claimDigest(id, journal))).toEqual(
      digest(digest('risc0.ReceiptClaim'), zeros, id, state, output, words),
    );
    expect(fakeSeal(id, Uint8Array.of(1, 2, 4))).not.toEqual(seal);
    expect(fakeSeal(new Uint8Array(32), journal)).not.toEqual(seal);
  });
});

import fc from 'fast-check';
import { encodeAbiParameters, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { encodeAbi } from '../../../core/web-proof/journal/encode.ts';
import { journalMembers } from '../../../core/web-proof/journal/journal.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('the journal', () => {
  it('is encoded as another implementation does it', () => {
    const value = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 100 }).map((text) => ({ type: 'string' as const, value: text })),
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
    expect(rest.map(({ name }) => name).join()).toBe('method,url,tlsTimestamp,extractionHash,extractedValue0');
    expect(rest.at(-1)).toEqual({ name: 'extractedValue0', type: 'string', value: '-1' });
  });
});

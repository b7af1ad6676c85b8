import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { encodeBytes, hashEncoding } from '../../../../core/web-proof/tlsnotary/byte-encoding.ts';
import type {
  EncodingCommitment,
  HashCommitment,
  TranscriptProof,
} from '../../../../core/web-proof/tlsnotary/presentation.ts';
import { type ByteRange, sliceRanges, unionOfRanges } from '../../../../core/web-proof/tlsnotary/ranges.ts';
import { verifyTranscript } from '../../../../core/web-proof/tlsnotary/verify-transcript.ts';

const key = { seed: new Uint8Array(32).fill(7), delta: new Uint8Array(16).fill(9) };
const blinder = new Uint8Array(16).fill(5);
const from0 = (end: number): readonly ByteRange[] => [{ start: 0, end }];
const hidden = { bytes: new Uint8Array(), ranges: [], total: 0 };

/** A transcript whose received bytes, all zero, are opened by hashes and encodings of these ranges. */
function transcriptOf(total: number, hashes: (readonly ByteRange[])[], encodings: (readonly ByteRange[])[]) {
  const received = new Uint8Array(total);
  const ranges = unionOfRanges([...hashes, ...encodings].flat());
  const transcript: TranscriptProof = {
    sent: hidden,
    received: { bytes: sliceRanges(received, ranges), ranges, total },
    encodingProof:
      encodings.length === 0
        ? null
        : {
            proof: { algorithm: 1, leafCount: encodings.length, hashes: [] },
            openings: encodings.map((each, leaf) => ({ leaf, direction: 'received', ranges: each, blinder })),
          },
    hashOpenings: hashes.map((each) => ({ direction: 'received', ranges: each, algorithm: 1, blinder })),
  };
  const info = { time: 0, tlsVersion: 0, sentLength: 0, receivedLength: total };
  return { transcript, info };
}

function hashCommitment(total: number, ranges: readonly ByteRange[]): HashCommitment {
  const value = sha256
    .create()
    .update(sliceRanges(new Uint8Array(total), ranges))
    .update(blinder)
    .digest();
  return { kind: 'hash', direction: 'received', ranges, hash: { algorithm: 1, value } };
}

function encodingCommitment(end: number): EncodingCommitment {
  const hash = sha256.create().update(encodeBytes(key, 'received', 0, new Uint8Array(end)));
  return { kind: 'encoding', root: { algorithm: 1, value: hash.update(blinder).digest() }, ...key };
}

describe('the check of a transcript', () => {
  const KIB = 1024;
  const repeated = (ranges: readonly ByteRange[], count: number) => Array.from({ length: count }, () => ranges);
  it.each<[string, ReturnType<typeof transcriptOf>, string]>([
    ['hash openings', transcriptOf(KIB, repeated(from0(KIB), 4 * KIB), []), 'matches no commitment'],
    [
      'hash openings',
      transcriptOf(KIB, [...repeated(from0(KIB), 4 * KIB), from0(1)], []),
      'more than 4194304 bytes opened by hashes',
    ],
    [
      'encodings',
      transcriptOf(128 * KIB, [], repeated(from0(128 * KIB), 4)),
      'an encoding proof has no encoding commitment',
    ],
    [
      'encodings',
      transcriptOf(128 * KIB + 1, [], [...repeated(from0(128 * KIB), 4), from0(1)]),
      'more than 524288 bytes opened by encodings',
    ],
    [
      'encodings',
      transcriptOf(KIB, [], [...repeated(from0(KIB), 4), from0(1)]),
      'encodings open the shown bytes more than 4 times on average',
    ],
  ])('bounds the work of %s before it begins', (_title, { transcript, info }, message) => {
    expect(() => verifyTranscript(transcript, info, [])).toThrow(message);
  });

  it.each<[string, Partial<HashCommitment>]>([
    ['of the other direction', { direction: 'sent' }],
    ['of other ranges', { ranges: from0(3) }],
    ['of another algorithm', { hash: { algorithm: 3, value: hashCommitment(4, from0(4)).hash.value } }],
    ['with another hash', { hash: { algorithm: 1, value: blinder } }],
  ])('finds no commitment %s', (_title, changes) => {
    const { transcript, info } = transcriptOf(4, [from0(4)], []);
    const sent = { bytes: new Uint8Array(), ranges: [], total: 4 };
    const commitment = { ...hashCommitment(4, from0(4)), ...changes };
    expect(() => verifyTranscript({ ...transcript, sent }, { ...info, sentLength: 4 }, [commitment])).toThrow(
      'Verification failed: a hash opening of received bytes matches no commitment.',
    );
  });

  it('refuses an unknown hash algorithm by its number', () => {
    const { transcript, info } = transcriptOf(4, [from0(4)], []);
    const hashOpenings = transcript.hashOpenings.map((opening) => ({ ...opening, algorithm: 9 }));
    expect(() => verifyTranscript({ ...transcript, hashOpenings }, info, [])).toThrow(
      'hash algorithm 9 is not supported',
    );
    const encoded = transcriptOf(4, [], [from0(4)]).transcript;
    const encodingProof = encoded.encodingProof && {
      ...encoded.encodingProof,
      proof: { ...encoded.encodingProof.proof, algorithm: 9 },
    };
    const commitment = encodingCommitment(4);
    const unknown = { ...commitment, root: { ...commitment.root, algorithm: 9 } };
    expect(() => verifyTranscript({ ...encoded, encodingProof }, info, [unknown])).toThrow(
      'Verification failed: unknown hash algorithm.',
    );
  });
});

describe('the encoding of bytes', () => {
  it('is the same in one piece and in many', () => {
    const data = Uint8Array.from({ length: 600 }, (_, i) => i);
    const hash = sha256.create();
    hashEncoding(hash, key, 'sent', 1_000, data);
    expect(hash.digest()).toEqual(sha256(encodeBytes(key, 'sent', 1_000, data)));
    expect(encodeBytes(key, 'received', 1_000, data)).not.toEqual(encodeBytes(key, 'sent', 1_000, data));
  });
});

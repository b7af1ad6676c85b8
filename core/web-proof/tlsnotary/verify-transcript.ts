import { hashEncoding } from './byte-encoding.ts';
import { hashFunction } from './hash-algorithms.ts';
import { LIMITS } from './limits.ts';
import { merkleRootFromProof } from './merkle.ts';
import type {
  ConnectionInfo,
  Direction,
  EncodingCommitment,
  EncodingProof,
  HashCommitment,
  HashOpening,
  TranscriptCommitment,
  TranscriptProof,
} from './presentation.ts';
import { DIRECTIONS } from './presentation.ts';
import { type ByteRange, lengthOfRanges, sameRanges, unionOfRanges } from './ranges.ts';
import { demand, sameBytes } from './verification-error.ts';
import { layOut, type VisibleBytes } from './visible-bytes.ts';

export interface VerifiedTranscript {
  readonly sent: VisibleBytes;
  readonly received: VisibleBytes;
}

/**
 * Checks that every revealed byte is under a commitment that the notary signed, and lays the bytes out.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the failed check.
 */
export function verifyTranscript(
  transcript: TranscriptProof,
  info: ConnectionInfo,
  commitments: readonly TranscriptCommitment[],
): VerifiedTranscript {
  demand(
    transcript.sent.total === info.sentLength && transcript.received.total === info.receivedLength,
    'the transcript does not have the attested length',
  );
  const encodings = commitments.filter((commitment) => commitment.kind === 'encoding');
  const hashes = commitments.filter((commitment) => commitment.kind === 'hash');
  demand(encodings.length <= 1, 'there is more than one encoding commitment');
  for (const commitment of hashes) {
    demand(
      endOf(commitment.ranges) <= transcript[commitment.direction].total,
      'a commitment ends beyond the transcript',
    );
  }
  checkAmounts(transcript);

  const visible: VerifiedTranscript = {
    sent: layOut(transcript.sent.bytes, transcript.sent.ranges, transcript.sent.total),
    received: layOut(transcript.received.bytes, transcript.received.ranges, transcript.received.total),
  };
  if (transcript.encodingProof !== null) checkEncodingProof(transcript.encodingProof, encodings[0], visible);
  for (const opening of transcript.hashOpenings) checkHashOpening(opening, hashes, visible);
  for (const direction of DIRECTIONS) {
    const opened = unionOfRanges(openingsOf(transcript, direction).flatMap((opening) => opening.ranges));
    demand(sameRanges(opened, transcript[direction].ranges), `not exactly the ${direction} bytes shown are proven`);
  }
  return visible;
}

function openingsOf(transcript: TranscriptProof, direction: Direction) {
  return [...(transcript.encodingProof?.openings ?? []), ...transcript.hashOpenings].filter(
    (opening) => opening.direction === direction,
  );
}

/** Before any hashing: openings may overlap, so their sum is bounded apart from the length of the transcript. */
function checkAmounts(transcript: TranscriptProof): void {
  const sum = (openings: readonly { ranges: readonly ByteRange[] }[]) =>
    openings.reduce((total, opening) => total + lengthOfRanges(opening.ranges), 0);
  for (const direction of DIRECTIONS) {
    for (const opening of openingsOf(transcript, direction)) {
      demand(endOf(opening.ranges) <= transcript[direction].total, 'an opening ends beyond the transcript');
    }
  }
  demand(sum(transcript.hashOpenings) <= LIMITS.hashOpened, `more than ${LIMITS.hashOpened} bytes opened by hashes`);
  const byEncodings = sum(transcript.encodingProof?.openings ?? []);
  demand(byEncodings <= LIMITS.encodingOpened, `more than ${LIMITS.encodingOpened} bytes opened by encodings`);
  const shown = lengthOfRanges(transcript.sent.ranges) + lengthOfRanges(transcript.received.ranges);
  demand(
    byEncodings <= LIMITS.encodingOpenings * shown,
    `encodings open the shown bytes more than ${LIMITS.encodingOpenings} times on average`,
  );
}

function checkEncodingProof(
  { proof, openings }: EncodingProof,
  commitment: EncodingCommitment | undefined,
  visible: VerifiedTranscript,
): void {
  demand(commitment !== undefined, 'an encoding proof has no encoding commitment');
  demand(proof.algorithm === commitment.root.algorithm, 'encoding proof and commitment name different hash algorithms');
  demand(openings.length > 0, 'the encoding proof opens nothing');
  const hash = hashFunction(commitment.root.algorithm);
  demand(hash !== undefined, 'unknown hash algorithm');
  const leaves = new Map<number, Uint8Array>();
  for (const opening of openings) {
    const running = hash.create();
    for (const { start, end } of opening.ranges) {
      const data = visible[opening.direction].bytes.subarray(start, end);
      hashEncoding(running, commitment, opening.direction, start, data);
    }
    leaves.set(opening.leaf, running.update(opening.blinder).digest());
  }
  const root = merkleRootFromProof(hash, proof.leafCount, leaves, proof.hashes);
  demand(root !== null && sameBytes(root, commitment.root.value), 'the encoding proof does not match its commitment');
}

function checkHashOpening(
  opening: HashOpening,
  commitments: readonly HashCommitment[],
  visible: VerifiedTranscript,
): void {
  const hash = hashFunction(opening.algorithm);
  demand(hash !== undefined, `hash algorithm ${opening.algorithm} is not supported`);
  const running = hash.create();
  for (const { start, end } of opening.ranges) running.update(visible[opening.direction].bytes.subarray(start, end));
  const value = running.update(opening.blinder).digest();
  demand(
    commitments.some(
      (commitment) =>
        commitment.direction === opening.direction &&
        commitment.hash.algorithm === opening.algorithm &&
        sameBytes(commitment.hash.value, value) &&
        sameRanges(commitment.ranges, opening.ranges),
    ),
    `a hash opening of ${opening.direction} bytes matches no commitment`,
  );
}

function endOf(ranges: readonly ByteRange[]): number {
  return ranges.at(-1)?.end ?? 0;
}

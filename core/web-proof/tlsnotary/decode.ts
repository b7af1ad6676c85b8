import { LIMITS } from './limits.ts';
import type {
  CertificateOpening,
  EncodingProof,
  EphemeralKey,
  Field,
  HashOpening,
  MerkleProof,
  Presentation,
  RevealedSide,
  ServerIdentity,
  TranscriptCommitment,
  TranscriptProof,
  TypedHash,
} from './presentation.ts';
import { lengthOfRanges } from './ranges.ts';
import { malformed, Reader } from './reader.ts';

/**
 * The presentation in the bytes. Only its form is checked: canonical ranges, known variants, bounds (`LIMITS`), nothing
 * behind its end. Byte strings of the result are views of the input, so do not change the input afterwards.
 * @throws DomainError `INVALID_PRESENTATION` naming the part and the offset.
 */
export function decodePresentation(bytes: Uint8Array): Presentation {
  if (bytes.length === 0) throw malformed('it is empty');
  if (bytes.length > LIMITS.presentation) throw malformed(`it is larger than ${LIMITS.presentation} bytes`);
  const input = new Reader(bytes);
  const signature = { algorithm: input.u8('signature algorithm'), data: readKeyOrSignature(input, 'signature') };
  const header = {
    id: input.fixed(16, 'header id'),
    version: input.u32('header version'),
    root: readTypedHash(input, 'header root'),
  };
  const body = {
    verifyingKey: readField(input, () => ({
      algorithm: input.u8('verifying key algorithm'),
      data: readKeyOrSignature(input, 'verifying key'),
    })),
    connectionInfo: readField(input, () => ({
      time: input.u64('connection time'),
      tlsVersion: input.variant(2, 'TLS version'),
      sentLength: input.u32('sent length'),
      receivedLength: input.u32('received length'),
    })),
    serverEphemeralKey: readField(input, () => readEphemeralKey(input)),
    certificateCommitment: readField(input, () => readTypedHash(input, 'certificate commitment')),
    extensions: input.list(20, LIMITS.extensions, 'extensions', () =>
      readField(input, () => ({
        id: input.byteString(LIMITS.presentation, 'extension id'),
        value: input.byteString(LIMITS.presentation, 'extension value'),
      })),
    ),
    transcriptCommitments: input.list(45, LIMITS.transcriptCommitments, 'transcript commitments', () =>
      readField(input, () => readTranscriptCommitment(input)),
    ),
  };
  const bodyProof = readMerkleProof(input, 'body proof');
  const identity = input.option('identity', () => readIdentity(input));
  const transcript = input.option('transcript', () => readTranscript(input));
  input.end();
  return { signature, header, body, bodyProof, identity, transcript };
}

function readField<T>(input: Reader, value: () => T): Field<T> {
  return { id: input.u32('field id'), value: value() };
}

function readTypedHash(input: Reader, what: string): TypedHash {
  return { algorithm: input.u8(`${what} algorithm`), value: input.byteString(LIMITS.hashValue, what) };
}

function readKeyOrSignature(input: Reader, what: string): Uint8Array {
  return input.byteString(LIMITS.keyOrSignature, what);
}

function readEphemeralKey(input: Reader): EphemeralKey {
  input.variant(1, 'ephemeral key type');
  return readKeyOrSignature(input, 'ephemeral key');
}

function readTranscriptCommitment(input: Reader): TranscriptCommitment {
  if (input.variant(2, 'transcript commitment kind') === 0) {
    return {
      kind: 'encoding',
      root: readTypedHash(input, 'encoding root'),
      seed: input.fixed(32, 'encoding seed'),
      delta: input.fixed(16, 'encoding delta'),
    };
  }
  return {
    kind: 'hash',
    direction: input.direction(),
    ranges: input.ranges(LIMITS.ranges, 'commitment ranges', false),
    hash: readTypedHash(input, 'commitment hash'),
  };
}

function readMerkleProof(input: Reader, what: string): MerkleProof {
  return {
    algorithm: input.u8(`${what} algorithm`),
    leafCount: input.u64(`${what} leaf count`),
    hashes: input.list(8, LIMITS.merkleHashes, `${what} hashes`, () =>
      input.byteString(LIMITS.hashValue, `${what} hash`),
    ),
  };
}

function readIdentity(input: Reader): ServerIdentity {
  const name = input.text(LIMITS.serverName, 'server name');
  const certificates = input.list(8, LIMITS.certificates, 'certificates', () =>
    input.byteString(LIMITS.certificate, 'certificate'),
  );
  const scheme = input.variant(12, 'signature scheme');
  const signature = readKeyOrSignature(input, 'key exchange signature');
  input.variant(1, 'handshake data');
  const opening: CertificateOpening = {
    certificates,
    scheme,
    signature,
    clientRandom: input.fixed(32, 'client random'),
    serverRandom: input.fixed(32, 'server random'),
    serverEphemeralKey: readEphemeralKey(input),
    blinder: input.fixed(16, 'certificate blinder'),
  };
  return { name, opening };
}

function readTranscript(input: Reader): TranscriptProof {
  const bytes = {
    sent: input.byteString(LIMITS.transcript, 'sent bytes'),
    received: input.byteString(LIMITS.transcript, 'received bytes'),
  };
  const ranges = {
    sent: input.ranges(LIMITS.ranges, 'sent ranges', true),
    received: input.ranges(LIMITS.ranges, 'received ranges', true),
  };
  const sent = side(input, 'sent', bytes.sent, ranges.sent);
  const received = side(input, 'received', bytes.received, ranges.received);
  return {
    sent,
    received,
    encodingProof: input.option('encoding proof', () => readEncodingProof(input)),
    hashOpenings: input.list(45, LIMITS.openings, 'hash openings', () => readHashOpening(input)),
  };
}

function side(input: Reader, name: string, bytes: Uint8Array, ranges: RevealedSide['ranges']): RevealedSide {
  const total = input.u64(`${name} total`);
  if (total > LIMITS.transcript) throw malformed(`${name} total ${total} is more than ${LIMITS.transcript} bytes`);
  if (lengthOfRanges(ranges) !== bytes.length) throw malformed(`${name} ranges and ${name} bytes differ in length`);
  if ((ranges.at(-1)?.end ?? 0) > total) throw malformed(`a ${name} range ends beyond the ${name} total`);
  return { bytes, ranges, total };
}

function readEncodingProof(input: Reader): EncodingProof {
  const proof = readMerkleProof(input, 'encoding proof');
  if (proof.leafCount > LIMITS.encodingLeaves) {
    throw malformed(`the encoding proof has more than ${LIMITS.encodingLeaves} leaves`);
  }
  const seen = new Set<number>();
  const openings = input.list(52, LIMITS.openings, 'encoding openings', () => {
    const leaf = input.u64('encoding leaf');
    if (seen.has(leaf)) throw malformed(`encoding leaf ${leaf} is opened twice`, input.offset);
    seen.add(leaf);
    return {
      leaf,
      direction: input.direction(),
      ranges: input.ranges(LIMITS.ranges, 'opening ranges', false),
      blinder: input.fixed(16, 'opening blinder'),
    };
  });
  return { proof, openings };
}

function readHashOpening(input: Reader): HashOpening {
  return {
    direction: input.direction(),
    ranges: input.ranges(LIMITS.ranges, 'opening ranges', false),
    algorithm: input.u8('opening algorithm'),
    blinder: input.fixed(16, 'opening blinder'),
  };
}

import { DomainError, isDomainError } from '../../errors.ts';
import { type RandomSource, systemRandom } from '../../ports/random-source.ts';
import { fieldCount, RANDOM_LENGTH, signAttestation } from './attestation.ts';
import type { AttestationSigner } from './attestation-signer.ts';
import { decodePresentation } from './decode.ts';
import { encodePresentation } from './encode.ts';
import { HASH, hashFunction } from './hash-algorithms.ts';
import { LIMITS } from './limits.ts';
import type {
  CertificateOpening,
  Direction,
  Extension,
  HashCommitment,
  HashOpening,
  Presentation,
} from './presentation.ts';
import { type ByteRange, isCanonical, sliceRanges } from './ranges.ts';
import { certificateOpeningHash } from './struct-hash.ts';

export interface PresentationInput {
  readonly signer: AttestationSigner;
  /** Unix seconds, taken before the connection was made. */
  readonly time: number;
  /** DNS name that the request was made to. */
  readonly serverName: string;
  /** Handshake data as seen on the wire. */
  readonly handshake: Omit<CertificateOpening, 'blinder'>;
  /** All application data of the connection, in both directions. */
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
  /** What to show; canonical. An empty list hides the direction altogether. */
  readonly revealed: { readonly sent: readonly ByteRange[]; readonly received: readonly ByteRange[] };
  readonly extensions?: readonly Extension[];
  /** For everything that is hashed; SHA-256 unless told. */
  readonly hashAlgorithm?: number;
  readonly random?: RandomSource;
}

/**
 * Makes the presentation of a connection: one salted hash commitment per direction over exactly the revealed bytes,
 * opened. Hidden bytes are not committed to and appear nowhere in the result, not even hashed.
 * @throws DomainError `INTERNAL_SERVER_ERROR` when the input is beyond what `decodePresentation` accepts.
 */
export async function buildPresentation(input: PresentationInput): Promise<Uint8Array> {
  const bytes = encodePresentation(await assemblePresentation(input));
  if (bytes.length > LIMITS.presentation) {
    const sizes = `it would have ${bytes.length} bytes, more than verifiers accept (${LIMITS.presentation})`;
    throw cannotBuild(`${sizes}: hide fewer separate values or ask for a smaller answer`);
  }
  try {
    decodePresentation(bytes);
  } catch (error) {
    // Names, certificates and extensions have bounds too: better no proof than one that nobody can read.
    throw isDomainError(error) ? cannotBuild(`nobody could read it: ${error.message}`) : error;
  }
  return bytes;
}

/** The same as data, for those who want to look at it before encoding. */
export async function assemblePresentation(input: PresentationInput): Promise<Presentation> {
  checkInput(input);
  const { signer, random = systemRandom, hashAlgorithm = HASH.sha256, extensions = [] } = input;
  const hash = hashFunction(hashAlgorithm);
  if (hash === undefined) throw cannotBuild(`hash algorithm ${hashAlgorithm} is not known`);

  const opening: CertificateOpening = { ...input.handshake, blinder: random.bytes(RANDOM_LENGTH) };
  const committed = (['sent', 'received'] as const)
    .filter((direction) => input.revealed[direction].length > 0)
    .map((direction) => commit(direction, input, hash, hashAlgorithm, random.bytes(RANDOM_LENGTH)));

  const attestation = await signAttestation(
    {
      connectionInfo: {
        time: input.time,
        tlsVersion: 0,
        sentLength: input.sent.length,
        receivedLength: input.received.length,
      },
      serverEphemeralKey: input.handshake.serverEphemeralKey,
      certificateCommitment: { algorithm: hashAlgorithm, value: certificateOpeningHash(hashAlgorithm, opening) },
      extensions,
      transcriptCommitments: committed.map(({ commitment }) => commitment),
    },
    { signer, random, hashAlgorithm },
  );
  const side = (direction: Direction) => ({
    bytes: sliceRanges(input[direction], input.revealed[direction]),
    ranges: input.revealed[direction],
    total: input[direction].length,
  });
  return {
    ...attestation,
    bodyProof: { algorithm: hashAlgorithm, leafCount: fieldCount(attestation.body), hashes: [] },
    identity: { name: input.serverName, opening },
    transcript: {
      sent: side('sent'),
      received: side('received'),
      encodingProof: null,
      hashOpenings: committed.map(({ opened }) => opened),
    },
  };
}

function commit(
  direction: Direction,
  input: PresentationInput,
  hash: (bytes: Uint8Array) => Uint8Array,
  algorithm: number,
  blinder: Uint8Array,
): { commitment: HashCommitment; opened: HashOpening } {
  const ranges = input.revealed[direction];
  const plaintext = sliceRanges(input[direction], ranges);
  const salted = new Uint8Array(plaintext.length + blinder.length);
  salted.set(plaintext);
  salted.set(blinder, plaintext.length);
  return {
    commitment: { kind: 'hash', direction, ranges, hash: { algorithm, value: hash(salted) } },
    opened: { direction, ranges, algorithm, blinder },
  };
}

function checkInput(input: PresentationInput): void {
  for (const direction of ['sent', 'received'] as const) {
    const ranges = input.revealed[direction];
    const total = input[direction].length;
    if (total > LIMITS.transcript) throw cannotBuild(`${direction} ${total} bytes, at most ${LIMITS.transcript} fit`);
    if (!isCanonical(ranges)) throw cannotBuild(`the revealed ranges of the ${direction} bytes are not canonical`);
    if (ranges.length > LIMITS.ranges) throw cannotBuild(`more than ${LIMITS.ranges} revealed ranges`);
    if ((ranges.at(-1)?.end ?? 0) > total) throw cannotBuild(`a revealed range ends beyond the ${direction} bytes`);
  }
  if ((input.extensions?.length ?? 0) > LIMITS.extensions) {
    throw cannotBuild(`more than ${LIMITS.extensions} extensions`);
  }
  if (!Number.isSafeInteger(input.time) || input.time < 0) throw cannotBuild('the time is not in whole Unix seconds');
}

function cannotBuild(reason: string): DomainError {
  return new DomainError('INTERNAL_SERVER_ERROR', `The presentation cannot be built: ${reason}.`);
}

/**
 * The messages of a session with a stock prover of TLSNotary 0.1.0-alpha.12, as far as a notary reads them. TLSNotary's verifier for
 * browsers checks the session and says goodbye. What an attestation needs besides is read here from the messages that it has
 * accepted. The protocol fixes their places: a message that is elsewhere, or not exactly of its form, ends the session unsigned.
 */

import { LIMITS } from 'credence/kit';
import {
  demand,
  type EncodingCommitment,
  type EphemeralKey,
  HASH_LENGTH,
  hashFunction,
  Reader,
  sameBytes,
  type TypedHash,
  untrue,
} from 'credence/kit/notaries';

/** One message of the protocol's main stream. */
export interface SessionMessage {
  readonly from: 'prover' | 'verifier';
  readonly length: number;
  /** Null for messages of more than `KEPT_BYTES`. */
  readonly bytes: Uint8Array | null;
}

/** Longer messages are those of the cryptography: nothing in them is read. */
export const KEPT_BYTES = 4_096;

/** What the verifier of the session has worked with and does not tell. */
export interface SessionFacts {
  readonly serverEphemeralKey: EphemeralKey;
  readonly commitment: EncodingCommitment;
  readonly request: AttestationRequest;
}

/** What the prover asks to have signed. */
export interface AttestationRequest {
  readonly signatureAlgorithm: number;
  readonly hashAlgorithm: number;
  readonly certificateCommitment: TypedHash;
  /** How many extensions the prover wants in its attestation. */
  readonly extensions: number;
}

/** Messages of the prover, by their place: the protocol's configuration, then the handshake. */
const PLACE = { clientRandom: 1, serverRandom: 2, serverKey: 3 } as const;
const VARIANT = { clientRandom: 0, serverRandom: 1, serverKey: 2, closeConnection: 9 } as const;
const RANDOM = 32;
const POINT = 65;
const SEED = 32;
const DELTA = 16;
/** First byte of an uncompressed point. */
const UNCOMPRESSED = 4;
/** The encoder's secret: seed and delta. */
const SECRET = SEED + DELTA;
/** Bytes of encodings for each byte of the transcript, and of the lengths of the two lists. */
const ENCODING = 128;
const LIST_LENGTHS = 16;
/** No server identity, nothing revealed, encodings committed to, no hashes of plaintext. */
const COMMIT_TO_ENCODINGS = Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);

/** True for the message with which the prover begins the TLS handshake. */
export function beginsHandshake({ from, bytes }: SessionMessage, place: number): boolean {
  return from === 'prover' && place === PLACE.clientRandom && bytes !== null;
}

/** True for the message with which the prover ends the TLS connection. */
export function endsConnection({ from, bytes }: SessionMessage): boolean {
  return from === 'prover' && bytes?.length === 4 && bytes[0] === VARIANT.closeConnection;
}

/** True for a message that can be the encoder's secret. The prover's request comes after it. */
export function isSecret({ from, length }: SessionMessage): boolean {
  return from === 'verifier' && length === SECRET;
}

/**
 * Reads what a verifier that has accepted the session does not tell.
 *
 * The last messages must be, in this order: what the prover asks for, the verifier's encodings, the prover's root, the encoder's
 * secret, the prover's request. The verifier is ours. It sends encodings of exactly the transcript's length only to a prover
 * that asked for a commitment to them. So the prover has fixed the root before it could see the secret.
 * @param lengths of the transcript, as the verifier says
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the message that is not as it must be
 */
export function readSessionFacts(
  messages: readonly SessionMessage[],
  lengths: { readonly sent: number; readonly received: number },
): SessionFacts {
  const ofProver = messages.filter(({ from }) => from === 'prover');
  readRandom(ofProver[PLACE.clientRandom], VARIANT.clientRandom, 'client random');
  readRandom(ofProver[PLACE.serverRandom], VARIANT.serverRandom, 'server random');
  const serverEphemeralKey = readServerKey(ofProver[PLACE.serverKey]);
  const [asked, encodings, root, secret, request] = messages.slice(-5);
  const senders = [asked, encodings, root, secret, request].map((message) => message?.from);
  demand(senders.join() === 'prover,verifier,prover,verifier,prover', 'the session does not end with a notarization');
  demand(
    asked?.bytes != null && sameBytes(asked.bytes, COMMIT_TO_ENCODINGS),
    'the prover asks for something else than a notarization of hidden bytes',
  );
  demand(
    encodings?.length === LIST_LENGTHS + ENCODING * (lengths.sent + lengths.received),
    'the encodings are not those of the transcript',
  );
  demand(messages.filter(isSecret).length === 1, "the encoder's secret is not certain");
  const { seed, delta } = parse(secret, "the encoder's secret", (input, what) => ({
    seed: input.fixed(SEED, what),
    delta: input.fixed(DELTA, what),
  }));
  return {
    serverEphemeralKey,
    commitment: { kind: 'encoding', root: parse(root, 'the commitment', readHash), seed, delta },
    request: parse(request, 'the request for an attestation', readRequest),
  };
}

/** Reads a whole message. @throws DomainError `INTERNAL_SERVER_ERROR` unless it is there and has exactly this form */
function parse<T>(message: SessionMessage | undefined, what: string, read: (input: Reader, what: string) => T): T {
  const input = new Reader(message?.bytes ?? new Uint8Array());
  try {
    const value = read(input, what);
    input.end();
    return value;
  } catch {
    throw untrue(`${what} is not of the form that it must have`);
  }
}

function readRandom(message: SessionMessage | undefined, variant: number, what: string): void {
  const found = parse(message, `the ${what}`, (input) => [input.u32(what), input.fixed(RANDOM, what)]);
  demand(found[0] === variant, `the ${what} is not where it must be`);
}

function readServerKey(message: SessionMessage | undefined): EphemeralKey {
  const what = "the server's key";
  const found = parse(message, what, (input) => ({
    variant: input.u32(what),
    group: input.u32(what),
    key: input.byteString(POINT, what),
  }));
  // The group is secp256r1, the only one that the verifier takes.
  demand(found.variant === VARIANT.serverKey && found.group === 0, `${what} is not where it must be`);
  demand(found.key.length === POINT && found.key[0] === UNCOMPRESSED, `${what} is not an uncompressed point`);
  return found.key;
}

function readRequest(input: Reader, what: string): AttestationRequest {
  return {
    signatureAlgorithm: input.u8(what),
    hashAlgorithm: input.u8(what),
    certificateCommitment: readHash(input, what),
    extensions: input.list(LIST_LENGTHS, LIMITS.extensions, what, () => {
      input.byteString(KEPT_BYTES, what);
      input.byteString(KEPT_BYTES, what);
    }).length,
  };
}

function readHash(input: Reader, what: string): TypedHash {
  const algorithm = input.u8(what);
  const value = input.byteString(HASH_LENGTH, what);
  demand(hashFunction(algorithm) !== undefined && value.length === HASH_LENGTH, `${what} has an unknown hash`);
  return { algorithm, value };
}

/**
 * TLS made by two parties: a prover, who holds the plaintext, and a verifier, who holds a share of the keys. Neither alone can
 * encrypt or decrypt, so the prover cannot make up an answer, and the verifier sees only what the prover reveals.
 */
import type { ByteRange, RevealedRanges } from 'credence/kit/notaries';

export type { ByteRange } from 'credence/kit/notaries';

/** An ordered stream of bytes in both directions, to the other party or to the server. */
export interface ByteChannel {
  /** What comes in; ends when the other side is done, throws when the connection breaks. Read it once. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Sends bytes. Resolves when more can be taken, so that a slow reader slows the writer. */
  send(bytes: Uint8Array): Promise<void>;
  /** Says that nothing more is sent. What comes in can still be read. */
  end(): Promise<void>;
}

/** Most bytes of application data in a session. They are fixed before it begins: memory and time grow with them. */
export interface MpcLimits {
  readonly maxSentData: number;
  readonly maxRecvData: number;
}

/** One direction as the verifier knows it. */
export interface AuthenticatedBytes {
  /** At full length. Bytes that were not revealed are zero. */
  readonly bytes: Uint8Array;
  /** Which bytes are authenticated: the server's connection carried exactly these. */
  readonly revealed: readonly ByteRange[];
}

/** What a verifier has established without trusting the prover. */
export interface MpcOutput {
  /** The name that the server's certificate was checked against; null if the prover did not show the server's identity. */
  readonly serverName: string | null;
  /** Unix seconds on the verifier's clock. */
  readonly time: number;
  readonly sent: AuthenticatedBytes;
  readonly received: AuthenticatedBytes;
}

/** A prepared verifier of one session. */
export interface MpcVerifierSession {
  /**
   * Runs the protocol with the prover at the other end of the channel. Settles when the session is over; a prover that stops
   * without closing the channel keeps it waiting until `close`.
   * @throws Error if the prover breaks the protocol, its proof does not hold, or the session's process ends
   */
  verify(channel: ByteChannel): Promise<MpcOutput>;
  /** Ends the session wherever it is and frees its memory. Harmless when repeated. */
  close(): Promise<void>;
}

/** Verifies sessions of MPC-TLS. */
export interface MpcVerifier {
  /**
   * Prepares one session.
   * @throws Error if it cannot be prepared, for example since a package is missing
   */
  open(limits: MpcLimits): Promise<MpcVerifierSession>;
  /** Ends all sessions. No call after it. */
  close(): Promise<void>;
}

/** A request as MPC-TLS can make it. The order of the headers is not kept. */
export interface MpcRequest {
  /** Origin form. */
  readonly target: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Names in lower case, each once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A JSON value; undefined without a body. */
  readonly body: unknown;
}

/** Plaintext of a connection, both directions. */
export interface MpcTranscript {
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
}

/** What a prover shows, as canonical ranges. */
export type MpcReveal = RevealedRanges;

/** A prepared prover of one session. Call the methods in their order, each once. All wait forever if the other side does. */
export interface MpcProverSession {
  /** Does the work that does not depend on the request, with the verifier at the other end of the channel. */
  setup(verifier: ByteChannel): Promise<void>;
  /** Makes the request over a connection to the server. */
  request(request: MpcRequest, server: ByteChannel): Promise<MpcTranscript>;
  /** Shows these ranges and the server's identity to the verifier. */
  reveal(ranges: MpcReveal): Promise<void>;
  /** Rejects if the session's process ends or its channel breaks, also between two steps; never resolves. */
  readonly failed: Promise<never>;
  /** Ends the session wherever it is and frees its memory. Harmless when repeated. */
  close(): Promise<void>;
}

/** Proves sessions of MPC-TLS. */
export interface MpcProver {
  /** Prepares one session with a server. @throws Error if it cannot be prepared */
  open(serverName: string, limits: MpcLimits): Promise<MpcProverSession>;
  /** Ends all sessions. No call after it. */
  close(): Promise<void>;
}

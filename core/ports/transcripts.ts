import type { VerifiedTranscriptV1, VerifiedTranscriptV2 } from '../web-proof/verified-transcript.ts';
import type { VerifiedWebProof, WebProof } from '../web-proof/verify.ts';

/** The shapes in which a verified transcript is answered. */
export interface TranscriptShapes {
  readonly v1: VerifiedTranscriptV1;
  readonly v2: VerifiedTranscriptV2;
  /** All that the verification found, for what reads more of it than is answered. */
  readonly whole: VerifiedWebProof;
}

/** What the verification of one proof gave. */
export interface Transcript<S extends keyof TranscriptShapes> {
  readonly transcript: TranscriptShapes[S];
  /** Bytes of JSON of all that can be long in it. */
  readonly bytes: number;
  /** Of the session, in Unix seconds: whether its notary is trusted depends on it, and not every shape has it. */
  readonly tlsTimestamp: number;
}

/** Verifies one proof. Throws what the verify use case throws. */
export type Transcribe = <S extends keyof TranscriptShapes>(proof: WebProof, shape: S) => Promise<Transcript<S>>;

/** Work for which one place is taken, for its whole duration. */
export interface TranscriptWork {
  /** Characters of hex of all proofs, and how many there are: little work is done at once. */
  readonly size: number;
  readonly proofs: number;
  /** Callers take turns. */
  readonly caller: string;
  readonly signal: AbortSignal;
}

/** Verifies proofs without holding up the process's other work, with bounded concurrency that callers share fairly. */
export interface Transcripts {
  /**
   * Runs `work` in the caller's turn.
   * @throws DomainError `SERVICE_UNAVAILABLE` with `retryAfterSeconds` if too much waits, of all or of this caller; the
   *   signal's reason if it fires before the work begins
   */
  run<T>(work: TranscriptWork, task: (transcribe: Transcribe) => Promise<T>): Promise<T>;
  /** Ends the work under way. Idempotent. */
  close(): Promise<void>;
}

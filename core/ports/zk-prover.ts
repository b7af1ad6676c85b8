/** Port: makes the seal of a compressed web proof. */

import type { OpenedAttestation } from '../web-proof/attested-values/attestation.ts';
import type { RequestFacts } from '../web-proof/attested-values/commitments.ts';
import type { Attester } from '../web-proof/attested-values/program.ts';
import type { JournalValue } from '../web-proof/extraction/journal-value.ts';
import type { WebProof } from '../web-proof/verify.ts';

/** What is to be proven. Everything in it has been verified; the journal holds exactly these facts and values. */
export interface ProofStatement {
  readonly presentation: WebProof;
  readonly facts: RequestFacts;
  /** Who attests facts and values; with `facts.requestBody` it decides the guest id of the seal (`programId`). */
  readonly attester: Attester;
  /** Compressed secp256k1 key of the attester, 33 bytes. */
  readonly attesterKey: Uint8Array;
  readonly queries: readonly string[];
  /** One for each query. */
  readonly values: readonly JournalValue[];
  /** ABI-encoded public outputs. */
  readonly journal: Uint8Array;
  /**
   * The attester's signature over facts and values, checked; may ask the notary. Rejects with a `DomainError`
   * `PROOF_GENERATION_FAILED` that says why there is none. A prover that does not need it does not call it.
   */
  attestation(): Promise<OpenedAttestation>;
}

/** Makes seals. */
export interface ZkProver {
  /**
   * The id of the program for what notaries sign of requests without a body; `programId` derives the others. May read files or
   * ask a remote prover the first time.
   */
  guestId(): Promise<`0x${string}`>;

  /**
   * The seal for a statement. Rejects with a `DomainError`: `PROOF_GENERATION_FAILED` when the statement cannot be proven or
   * the prover is out of time or closed. `SERVICE_UNAVAILABLE`, with a time to retry after, when too many statements wait or
   * this one waited too long. Calls may overlap: callers (`caller`) take turns, so that none keeps the others from theirs. An
   * aborted `signal` ends the wait.
   */
  prove(statement: ProofStatement, signal?: AbortSignal, caller?: string): Promise<Uint8Array>;

  /**
   * Loads what the first proof needs, so that it takes no longer than later ones. Rejects with a `DomainError`
   * `PROOF_GENERATION_FAILED`. Left out if there is nothing to load.
   */
  warmUp?(): Promise<void>;

  /** Ends what runs and frees what is held. Idempotent. */
  close(): Promise<void>;
}

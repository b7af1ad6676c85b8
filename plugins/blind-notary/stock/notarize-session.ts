/** The notary's side of TLSNotary's own notarization, 0.1.0-alpha.12: it signs a session of which it sees no plaintext. */

import { demand, encodeAttestation, type NotarizeDeps, signAttestation } from 'credence/kit/notaries';
import type { BlindPhase } from '../blind-phase.ts';
import { runVerifier, type VerifierSession, type VerifierSessionDeps } from '../notary/verifier-session.ts';
import { readSessionFacts, type SessionMessage } from './session-messages.ts';

/** One session with a stock prover. */
export interface NotarizedSession extends VerifierSession {
  /** Of the protocol's main stream so far. */
  readonly messages: readonly SessionMessage[];
  /** Resolves when the prover has asked for its attestation. */
  readonly requested: Promise<void>;
}

export interface NotarizeSessionDeps extends VerifierSessionDeps, Pick<NotarizeDeps, 'signer' | 'random'> {}

/**
 * Runs one session and signs it: time, lengths, the server's key share, and commitments. The prover has fixed these before it could
 * open them.
 * The notary learns no server name and no byte of request or response. Who verifies the presentation checks them.
 *
 * Resolves to the attestation (bincode) that the prover waits for.
 *
 * @returns a function that throws DomainError `INTERNAL_SERVER_ERROR`, which names the failed check or the late phase. It also throws
 * whatever the verifier or the channel throws.
 */
export function createNotarizeSession(deps: NotarizeSessionDeps) {
  const { signer, random } = deps;
  return async (
    session: NotarizedSession,
    signal: AbortSignal,
    onPhase: (phase: BlindPhase) => void,
  ): Promise<Uint8Array> => {
    const [{ serverName, time, sent, received }] = await runVerifier(session, session.requested, deps, signal, onPhase);
    demand(
      serverName === null && sent.revealed.length + received.revealed.length === 0,
      'the prover reveals something to the notary',
    );
    const lengths = { sent: sent.bytes.length, received: received.bytes.length };
    const { serverEphemeralKey, commitment, request } = readSessionFacts(session.messages, lengths);
    demand(
      request.signatureAlgorithm === signer.signatureAlgorithm,
      `this notary signs with algorithm ${signer.signatureAlgorithm} only`,
    );
    demand(request.extensions === 0, 'this notary signs no extensions of provers');
    const attestation = await signAttestation(
      {
        connectionInfo: { time, tlsVersion: 0, sentLength: lengths.sent, receivedLength: lengths.received },
        serverEphemeralKey,
        certificateCommitment: request.certificateCommitment,
        extensions: [],
        transcriptCommitments: [commitment],
      },
      { signer, random, hashAlgorithm: request.hashAlgorithm },
    );
    return encodeAttestation(attestation);
  };
}

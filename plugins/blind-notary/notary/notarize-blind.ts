/** The notary's side of a blind session: it takes part in the TLS connection and signs what the prover reveals of it. */

import {
  blindExtension,
  buildPresentation,
  checkHandshake,
  decodePresentation,
  demand,
  isCanonical,
  isServerName,
  layOut,
  type NotarizeDeps,
  parseRequest,
  readRevealed,
  requestAddress,
  sliceRanges,
  type VisibleBytes,
  verifyPresentation,
} from 'credence/kit/notaries';
import type { NotaryContext } from 'credence/ports';
import type { BlindPhase } from '../blind-phase.ts';
import type { ServerHandshake } from '../channel/handshake.ts';
import type { AuthenticatedBytes, MpcOutput } from '../mpc-tls.ts';
import { runVerifier, type VerifierSession, type VerifierSessionDeps } from './verifier-session.ts';

/** What a blind notary needs. */
export interface NotarizeBlindDeps
  extends VerifierSessionDeps,
    Omit<NotarizeDeps, 'tls'>,
    Pick<NotaryContext, 'certificates'> {
  /** SHA-256 of the signer's compressed key, 32 bytes. */
  readonly fingerprint: Uint8Array;
}

/** One session with a prover of Credence. */
export interface BlindSession extends VerifierSession {
  /** What the prover says is the server's handshake. */
  readonly handshake: Promise<ServerHandshake>;
}

/**
 * Runs one session and signs it. Signs nothing but bytes that the MPC verifier has authenticated; of hidden bytes it signs their
 * number. Resolves to the presentation, which has been verified.
 * @returns a function that throws DomainError `INTERNAL_SERVER_ERROR` naming the check that failed or the phase that was too slow.
 * It also throws what the verifier or the channel throws
 */
export function createNotarizeBlind(deps: NotarizeBlindDeps) {
  const { signer, certificates, decoder, random, attestationExtensions } = deps;

  return async (
    session: BlindSession,
    signal: AbortSignal,
    onPhase: (phase: BlindPhase) => void,
  ): Promise<Uint8Array> => {
    const [output, handshake] = await runVerifier(session, session.handshake, deps, signal, onPhase);
    const serverName = checkOutput(output);
    // The verifier has checked a handshake of its session, but keeps it to itself. The one handed in is signed by a server that holds
    // a certificate for the same name, at the same time; see docs/adr/0009-blind-notary.md for what a prover could put in its place.
    const verdict = await checkHandshake(certificates, handshake, serverName, output.time);
    demand(verdict.ok, verdict.ok ? '' : verdict.reason);
    const transcript = { sent: visible(output.sent), received: visible(output.received) };
    checkRequest(transcript.sent, serverName);
    const shown = await readRevealed(
      transcript,
      { authority: serverName, time: output.time, blindNotary: deps.fingerprint },
      decoder,
    );
    signal.throwIfAborted();
    const presentation = await buildPresentation({
      signer,
      random,
      time: output.time,
      serverName,
      handshake,
      sent: output.sent.bytes,
      received: output.received.bytes,
      revealed: { sent: output.sent.revealed, received: output.received.revealed },
      extensions: [blindExtension(serverName), ...(await attestationExtensions(shown))],
    });
    await verifyPresentation(decodePresentation(presentation), certificates);
    return presentation;
  };
}

/** @returns the server's name */
function checkOutput({ serverName, sent, received }: MpcOutput): string {
  demand(serverName !== null, 'the prover did not show who the server is');
  demand(isServerName(serverName), 'the server name is not a DNS name in lower case, without a trailing dot');
  for (const { bytes, revealed } of [sent, received]) {
    demand(revealed.length > 0, 'the prover hides a whole direction');
    demand(isCanonical(revealed), 'the revealed ranges are not canonical');
    demand((revealed.at(-1)?.end ?? 0) <= bytes.length, 'a revealed range ends beyond the transcript');
  }
  return serverName;
}

/** Only what is authenticated is read; the rest counts as hidden, whatever the verifier has in its place. */
function visible({ bytes, revealed }: AuthenticatedBytes): VisibleBytes {
  return layOut(sliceRanges(bytes, revealed), revealed, bytes.length);
}

/**
 * A server with one certificate may serve many hosts, and the prover writes the request. Some servers take trailers for headers,
 * and no prover needs any.
 */
function checkRequest(sent: VisibleBytes, serverName: string): void {
  const request = parseRequest(sent);
  demand(request.body.trailers.length === 0, 'the request has trailers behind its body: send them as headers');
  const { authorities, hostShown } = requestAddress(request, sent, serverName);
  demand(hostShown, 'a blind proof must show the Host header and the names of all headers of the request');
  demand(
    authorities.every(({ host }) => host === serverName),
    `the request is for another host than ${serverName}`,
  );
}

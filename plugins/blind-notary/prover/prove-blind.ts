/** The client's side of a blind session: makes the request with the notary, redacts, and shows the notary what stays visible. */

import { DomainError, isDomainError } from 'credence/kit';
import {
  allVisible,
  checkRequest,
  parseRequest,
  parseResponse,
  policyOf,
  type RevealedRanges,
  redactExchange,
  sameBytes,
  sameRanges,
  sliceRanges,
  writeRequest,
} from 'credence/kit/notaries';
import type { ContentDecoder, NotarizeRequest, VerifiedWebProof, VerifyWebProof, WebProof } from 'credence/ports';
import { type BlindPhase, type PhaseLimits, withinPhase } from '../blind-phase.ts';
import type { ServerHandshake } from '../channel/handshake.ts';
import type { ByteChannel, MpcLimits, MpcProver, MpcProverSession, MpcTranscript } from '../mpc-tls.ts';
import { type BlindRequest, checkSent, toBlindRequest } from './blind-request.ts';
import type { BlindNotarySession } from './notary-session.ts';

/** A connection to the server to prove. */
export interface ServerConnection {
  readonly channel: ByteChannel;
  /** What the server has signed; once the request is answered. */
  handshake(): ServerHandshake;
  close(): void;
}

/** What a blind proof goes through, for those who wait. */
export interface BlindProgress {
  readonly phase: 'probe' | BlindPhase | 'done';
  /** Seconds since the proof was begun. */
  readonly seconds: number;
  /** Bytes to and from the notary so far. */
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

export interface ProveBlindDeps {
  readonly decoder: ContentDecoder;
  readonly verify: VerifyWebProof;
  /** Checks the server before work is spent on it, and connects to no other address than it has checked. */
  readonly connect: (
    request: BlindRequest,
    signal: AbortSignal,
  ) => Promise<(signal: AbortSignal) => Promise<ServerConnection>>;
  readonly prover: MpcProver;
  /** Opens and joins a session of the notary. */
  readonly openSession: (limits: MpcLimits, signal: AbortSignal) => Promise<BlindNotarySession>;
  /** Most bytes of a request and of an answer. */
  readonly limits: MpcLimits;
  readonly phases: PhaseLimits;
  /** Of the notary's key, lower-case hex. */
  readonly fingerprint: string;
  /** How far the notary's clock may be from ours; seconds. */
  readonly clockTolerance: number;
  readonly now: () => number;
}

/**
 * Makes blind proofs. The proof is verified, and compared with what was sent and received, before it is returned.
 * @returns a function that throws as `Notary.notarize` says; rejects with the signal's reason when that fires
 */
export function createProveBlind(deps: ProveBlindDeps) {
  const { decoder, verify, prover, limits, phases } = deps;

  return async (
    request: NotarizeRequest,
    signal: AbortSignal,
    onProgress: (progress: BlindProgress) => void = () => {},
  ): Promise<WebProof> => {
    await checkRequest(request, writeRequest(request).bytes, decoder, signal);
    const blind = toBlindRequest(request);
    if (blind.length > limits.maxSentData) {
      throw new DomainError(
        'INVALID_REQUEST',
        `The request has ${blind.length} bytes, but a blind session takes at most ${limits.maxSentData}.`,
      );
    }
    const started = performance.now();
    let session: BlindNotarySession | undefined;
    let opening: Promise<MpcProverSession> | undefined;
    let isOnline = false;
    const report = (phase: BlindProgress['phase']) => {
      const { sent = 0, received = 0 } = session?.carried ?? {};
      onProgress({ phase, seconds: (performance.now() - started) / 1000, sentBytes: sent, receivedBytes: received });
    };
    report('probe');
    const connect = await deps.connect(blind, signal);
    const asked = deps.now();
    report('setup');
    try {
      const sizes = { maxSentData: blind.length, maxRecvData: Math.min(request.maxRecvData, limits.maxRecvData) };
      const notary = await deps.openSession(sizes, signal);
      session = notary;
      const within = <T>(phase: BlindPhase, work: Promise<T>) =>
        withinPhase(phase, phases, Promise.race([work, notary.failed]), signal);
      opening = prover.open(blind.serverName, sizes);
      const engine = await within('setup', opening);
      await within('setup', engine.setup(notary.channel));
      await within('setup', notary.announce('online'));
      isOnline = true;
      report('online');
      const server = await within('online', connect(signal));
      let transcript: MpcTranscript;
      let handshake: ServerHandshake;
      try {
        transcript = await within('online', engine.request(blind.message, server.channel));
        handshake = server.handshake();
      } finally {
        server.close();
      }
      const { shown, warnings } = await redact(transcript, blind, request, decoder, signal);
      report('reveal');
      await within('reveal', notary.announce('reveal'));
      await within('reveal', engine.reveal({ sent: shown.sent, received: shown.received }));
      const proof = await within('reveal', notary.finish(handshake));
      const expected = { transcript, shown, serverName: blind.serverName, asked };
      checkProof(await verify(proof), expected, deps);
      report('done');
      return {
        ...proof,
        meta: { ...proof.meta, mode: 'blind', ...(warnings.length > 0 && { warnings: [...warnings] }) },
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isDomainError(error) ? error : failure(error);
    } finally {
      session?.close();
      const closed = opening?.then((engine) => engine.close()).catch(() => {});
      // Not waited for otherwise: a process that does not start would keep the caller waiting.
      if (isOnline) await closed;
    }
  };
}

async function redact(
  { sent, received }: MpcTranscript,
  blind: BlindRequest,
  request: NotarizeRequest,
  decoder: ContentDecoder,
  signal: AbortSignal,
): Promise<{ readonly shown: RevealedRanges; readonly warnings: readonly string[] }> {
  const exchange = {
    request: parseRequest(allVisible(sent)),
    response: parseResponse(allVisible(received), request.method),
  };
  checkSent(exchange.request, blind, request);
  const { warnings, ...shown } = await redactExchange(exchange, policyOf(request), decoder, signal);
  return { shown, warnings };
}

interface Expected {
  readonly transcript: MpcTranscript;
  readonly shown: RevealedRanges;
  readonly serverName: string;
  /** Unix seconds when the session was opened. */
  readonly asked: number;
}

/** @throws DomainError `INTERNAL_SERVER_ERROR` unless the proof shows exactly what was to be shown of exactly this exchange */
function checkProof(
  proof: VerifiedWebProof,
  { transcript, shown, serverName, asked }: Expected,
  { fingerprint, clockTolerance }: ProveBlindDeps,
): void {
  demand(proof.notaryKeyFingerprint === fingerprint, 'it is signed by another key than the configured one');
  demand(Math.abs(proof.tlsTimestamp - asked) <= clockTolerance, 'its time is too far from now; check the clocks');
  demand(proof.notarization === 'blind' && proof.serverName === serverName, 'it is about another server');
  for (const direction of ['sent', 'received'] as const) {
    const { bytes, revealed } = proof.transcript[direction];
    const own = transcript[direction];
    const isSame =
      bytes.length === own.length &&
      sameRanges(revealed, shown[direction]) &&
      sameBytes(sliceRanges(bytes, revealed), sliceRanges(own, revealed));
    demand(isSame, `it does not show exactly what was revealed of the ${direction} bytes`);
  }
}

function demand(condition: boolean, message: string): void {
  if (!condition)
    throw new DomainError('INTERNAL_SERVER_ERROR', `The blind notary sent a proof that is not acceptable: ${message}.`);
}

/** The engine's own texts say little: it reports every broken session as an unexpected end. Roots that this host adds are unknown to it. */
function failure(cause?: unknown): DomainError {
  const reason = String(cause).includes('UnknownIssuer')
    ? "TLSNotary's engine trusts roots of its own only, and the server's certificate leads to none of them. Use an attesting notary"
    : 'the notary or the server ended it, or the answer is larger than maxRecvData';
  return new DomainError('INTERNAL_SERVER_ERROR', `The blind session failed: ${reason}.`, { cause });
}

/** A session of the notary's verifier with a prover, whichever protocol carries it. */

import { demand } from 'credence/kit/notaries';
import type { Clock } from 'credence/ports';
import { type BlindPhase, type PhaseLimits, withinPhase } from '../blind-phase.ts';
import type { ByteChannel, MpcLimits, MpcOutput, MpcVerifierSession } from '../mpc-tls.ts';

/** One session with a prover. */
export interface VerifierSession {
  readonly limits: MpcLimits;
  readonly verifier: MpcVerifierSession;
  /** To the prover's engine. */
  readonly channel: ByteChannel;
  /** Resolves when the prover begins a phase. A false word gains it nothing: each phase is bounded. */
  begins(phase: 'online' | 'reveal'): Promise<void>;
}

export interface VerifierSessionDeps {
  /** Bounds the time that a session may claim. */
  readonly clock: Clock;
  readonly phases: PhaseLimits;
}

/** By how many seconds the clock of the verifier's process may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 5;

/**
 * Runs the verifier through the phases of a session, each in its time, and checks time and lengths of what it reports.
 * @param rest what must be there at the end besides
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the phase that took too long or the check that failed; whatever the verifier or
 * the channel throws; the signal's reason when that fires
 */
export async function runVerifier<T>(
  { verifier, channel, begins, limits }: VerifierSession,
  rest: Promise<T>,
  { clock, phases }: VerifierSessionDeps,
  signal: AbortSignal,
  onPhase: (phase: BlindPhase) => void,
): Promise<readonly [output: MpcOutput, rest: T]> {
  const now = () => Math.floor(clock.now().getTime() / 1000);
  const opened = now();
  const verified = verifier.verify(channel);
  const nextPhase = (phase: 'online' | 'reveal') => Promise.race([begins(phase), verified]);
  onPhase('setup');
  await withinPhase('setup', phases, nextPhase('online'), signal);
  onPhase('online');
  await withinPhase('online', phases, nextPhase('reveal'), signal);
  onPhase('reveal');
  const [output, last] = await withinPhase('reveal', phases, Promise.all([verified, rest]), signal);
  demand(output.sent.bytes.length <= limits.maxSentData, 'more was sent than the session allows');
  demand(output.received.bytes.length <= limits.maxRecvData, 'more was received than the session allows');
  demand(
    opened - CLOCK_TOLERANCE_SECONDS <= output.time && output.time <= now() + CLOCK_TOLERANCE_SECONDS,
    'the time of the blind session is not between its beginning and its end',
  );
  return [output, last];
}

import { isDomainError } from 'credence/kit';
import type { WebSocket } from 'ws';
import { type BlindPhase, inTime } from '../blind-phase.ts';
import { type Carrier, SessionChannelError } from '../channel/byte-socket.ts';
import type { Place } from './session-places.ts';

/** `refused`: the notary did not sign it. `failed`: it did not come so far. */
export type SessionOutcome = 'signed' | 'refused' | 'failed';

/** How a session ended. */
export interface SessionEnd {
  readonly outcome: SessionOutcome;
  /** Why it was not signed, for the log only. */
  readonly error?: unknown;
  readonly carried: Carrier['carried'];
}

/** Carries a session out over a socket that is open. Never rejects. */
export type SessionRun = (
  place: Pick<Place, 'limits' | 'verifier'>,
  socket: WebSocket,
  signal: AbortSignal,
  onPhase: (phase: BlindPhase) => void,
) => Promise<SessionEnd>;

export function outcomeOf(error: unknown): SessionOutcome {
  return isDomainError(error) ? 'refused' : 'failed';
}

/** How long a prover may take to read the last message. */
const LAST_MESSAGE_MS = 30_000;

/**
 * Waits until the last message was taken. Nothing else bounds that: a prover that reads nothing would keep its place.
 * @throws SessionChannelError if the prover does not take it in time; the signal's reason when that fires
 */
export function taken(message: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = () => new SessionChannelError('The prover did not read the last message of the session in time.');
  return inTime(message, signal, { ms: LAST_MESSAGE_MS, late });
}

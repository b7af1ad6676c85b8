/** Figures of the sessions of a blind notary, for Prometheus. */
import { createRegistry } from 'credence/kit';
import type { BlindPhase } from './blind-phase.ts';
import type { SessionOutcome } from './notary/session-run.ts';

/** How a session went. Nothing of what was sent or received. */
export interface BlindSessionFigures {
  /** Who spoke with the notary: a prover of Credence, which shows it what the proof shows, or a stock prover, which shows it nothing. */
  readonly protocol: 'credence' | 'tlsnotary';
  readonly outcome: SessionOutcome;
  /** Milliseconds of each phase that was begun. */
  readonly phases: Readonly<Partial<Record<BlindPhase, number>>>;
  /** Bytes of the engines, from and to the prover. */
  readonly received: number;
  readonly sent: number;
}

/** Seconds: a phase takes some seconds, and two minutes at most. */
const BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

export function createBlindFigures() {
  const { counter, gauge, histogram, text } = createRegistry();
  const phases = histogram(
    'credence_blind_phase_duration_seconds',
    'Phases of blind sessions, by protocol. The signature is a part of the phase reveal.',
    BUCKETS,
  );
  const sessions = counter(
    'credence_blind_sessions_total',
    'Blind sessions that provers have joined, by protocol and outcome.',
  );
  const bytes = counter('credence_blind_bytes_total', 'Bytes of blind sessions, from and to provers.');
  const places = gauge('credence_blind_sessions', 'Places of blind sessions taken.');
  return {
    /** Counts a session that has ended. */
    ended({ protocol, outcome, phases: spent, received, sent }: BlindSessionFigures): void {
      sessions.add({ protocol, outcome }, 1);
      bytes.add({ protocol, direction: 'received' }, received);
      bytes.add({ protocol, direction: 'sent' }, sent);
      for (const [phase, milliseconds] of Object.entries(spent)) {
        phases.observe({ protocol, phase }, milliseconds / 1_000);
      }
    },
    /** Everything counted so far, and the places taken now, in the text format of Prometheus. */
    text(taken: number): string {
      places.set({}, taken);
      return text();
    },
  };
}

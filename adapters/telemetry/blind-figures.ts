import type { BlindSessionFigures, BlindSessionGauges } from '../../core/ports/telemetry.ts';
import type { Registry } from './prometheus.ts';

/** Seconds: a phase takes some seconds, and two minutes at most. Only the wait for a request takes longer. */
const BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Figures of the sessions of a blind notary; hosts without one have none of them. */
export interface BlindFigures {
  ended(figures: BlindSessionFigures): void;
  now(gauges: BlindSessionGauges): void;
}

export function createBlindFigures({ counter, gauge, histogram }: Registry): BlindFigures {
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
  const ahead = gauge(
    'credence_blind_sessions_ahead',
    'Places of blind sessions that are set up ahead and have no request yet.',
  );
  const ready = gauge('credence_blind_ready', 'Engines ready for the next sessions.');
  return {
    ended({ protocol, outcome, phases: spent, received, sent }) {
      sessions.add({ protocol, outcome }, 1);
      bytes.add({ protocol, direction: 'received' }, received);
      bytes.add({ protocol, direction: 'sent' }, sent);
      for (const [phase, milliseconds] of Object.entries(spent)) {
        phases.observe({ protocol, phase }, milliseconds / 1_000);
      }
    },
    now(gauges) {
      places.set({}, gauges.taken);
      ahead.set({}, gauges.ahead);
      ready.set({}, gauges.ready);
    },
  };
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BlindSessionFigures, BlindSessionGauges } from '../../core/ports/telemetry.ts';

/** Seconds: a phase takes some seconds, and two minutes at most. Only the wait for a request takes longer. */
const BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300];

/** Figures of the sessions of a blind notary; hosts without one have none of them. */
export interface BlindFigures {
  ended(figures: BlindSessionFigures): void;
  now(gauges: BlindSessionGauges): void;
}

export function createBlindFigures(registers: Registry[]): BlindFigures {
  const phases = new Histogram({
    name: 'credence_blind_phase_duration_seconds',
    help: 'Phases of blind sessions, by protocol. The signature is a part of the phase reveal.',
    labelNames: ['protocol', 'phase'],
    buckets: BUCKETS,
    registers,
  });
  const sessions = new Counter({
    name: 'credence_blind_sessions_total',
    help: 'Blind sessions that provers have joined, by protocol and outcome.',
    labelNames: ['protocol', 'outcome'],
    registers,
  });
  const bytes = new Counter({
    name: 'credence_blind_bytes_total',
    help: 'Bytes of blind sessions, from and to provers.',
    labelNames: ['protocol', 'direction'],
    registers,
  });
  const places = new Gauge({ name: 'credence_blind_sessions', help: 'Places of blind sessions taken.', registers });
  const ahead = new Gauge({
    name: 'credence_blind_sessions_ahead',
    help: 'Places of blind sessions that are set up ahead and have no request yet.',
    registers,
  });
  const ready = new Gauge({ name: 'credence_blind_ready', help: 'Engines ready for the next sessions.', registers });
  return {
    ended({ protocol, outcome, phases: spent, received, sent }) {
      sessions.inc({ protocol, outcome });
      bytes.inc({ protocol, direction: 'received' }, received);
      bytes.inc({ protocol, direction: 'sent' }, sent);
      for (const [phase, milliseconds] of Object.entries(spent)) {
        phases.observe({ protocol, phase }, milliseconds / 1_000);
      }
    },
    now(gauges) {
      places.set(gauges.taken);
      ahead.set(gauges.ahead);
      ready.set(gauges.ready);
    },
  };
}

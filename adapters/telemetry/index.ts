/** Figures and spans of one instance. The libraries for them are loaded by the first observation. */
import { late } from '../../core/late.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';

/** Creates the telemetry of one instance. The event loop is measured from the first scrape on. */
export function createTelemetry(): Telemetry {
  const recorder = late(async () => (await import('./recorder.ts')).createRecorder());
  return {
    observe: async (...args) => (await recorder()).observe(...args),
    metrics: async (now) => (await recorder()).metrics(now),
    close: async () => (await recorder.ifMade())?.close(),
  };
}

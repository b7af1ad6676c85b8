/** Figures and spans of one instance. The code for them is loaded by the first observation. */
import { late } from '../../core/late.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';

/** Creates the telemetry of one instance. The event loop is measured from the first scrape on. */
export function createTelemetry(): Telemetry {
  let made: Telemetry | undefined;
  const recorder = late(async () => {
    made = await (await import('./recorder.ts')).createRecorder();
    return made;
  });
  return {
    // Once it is made, nothing waits for it.
    observe: (...args) => made?.observe(...args) ?? recorder().then((recorder) => recorder.observe(...args)),
    metrics: async () => (await recorder()).metrics(),
    close: async () => (await recorder.ifMade())?.close(),
  };
}

/** Keeps to the safe rates. The limiter is loaded by the first request that has a rate. */
import { late } from '../../core/late.ts';
import type { Pacer, PacerOptions } from './pacer.ts';

export type { LimiterConnection, Pacer, PacerOptions, PacingMode } from './pacer.ts';

export function createPacer(options: PacerOptions): Pacer {
  if (options.mode === 'off')
    return { run: (_key, _endpoint, _time, task) => task(), async forget() {}, async close() {} };
  const pacer = late(async () => {
    const [{ createBottleneckPacer }, opened] = await Promise.all([
      import('./bottleneck-pacer.ts'),
      options.connection?.open(),
    ]);
    return createBottleneckPacer(options, opened);
  });
  return {
    run: async (...args) => (await pacer()).run(...args),
    forget: async (key) => (await pacer.ifMade())?.forget(key),
    close: async () => (await pacer.ifMade())?.close(),
  };
}

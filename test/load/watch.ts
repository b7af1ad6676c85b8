/**
 * Preloaded into a host's process (`node --import`): tells the process that started it how long the event loop was held up
 * and how much memory is resident. What is asked for is `{ kind: 'figures' }`; the answer covers the time since the last one.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** All since the last figures. */
export interface Figures {
  /** Milliseconds; how late a timer of 10 ms was. */
  readonly delay: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Bytes. */
  readonly rss: number;
  readonly highestRss: number;
  readonly heapUsed: number;
}

const RESOLUTION_MS = 10;
const SAMPLE_MS = 50;

if (process.send !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let highestRss = 0;
  setInterval(() => {
    highestRss = Math.max(highestRss, process.memoryUsage.rss());
  }, SAMPLE_MS).unref();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('message', () => {
    const { rss, heapUsed } = process.memoryUsage();
    const figures: Figures = {
      delay: { p50: late(delays.percentile(50)), p99: late(delays.percentile(99)), max: late(delays.max) },
      rss,
      highestRss: Math.max(rss, highestRss),
      heapUsed,
    };
    delays.reset();
    highestRss = 0;
    process.send?.(figures);
  });
  // A listener would keep a host alive that has nothing left to do.
  process.channel?.unref();
}

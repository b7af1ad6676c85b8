/**
 * Preloaded into a host's process (`node --import`). Tells the process that started it how long the event loop was held up
 * and how much memory is resident. It is asked by message, see `WatchRequest`.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `begin`: measure from now on. `figures`: answer with them. `live-heap`: answer with the bytes that a collection leaves. */
export type WatchRequest = 'begin' | 'figures' | 'live-heap';

/** Milliseconds that timers were late by. */
export interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Figures {
  /** Since the last figures. */
  readonly delay: Delay;
  /** Since `begin`. */
  readonly delayOfAll: Delay;
  /** Bytes. */
  readonly rss: number;
  /** Bytes, since the last figures. */
  readonly highestRss: number;
  /** Bytes. */
  readonly heapUsed: number;
}

const RESOLUTION_MS = 10;
const SAMPLE_MS = 50;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

if (process.send !== undefined) {
  const recent = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const all = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  recent.enable();
  all.enable();
  let highestRss = 0;
  setInterval(() => {
    highestRss = Math.max(highestRss, process.memoryUsage.rss());
  }, SAMPLE_MS).unref();
  process.on('message', (request: WatchRequest) => {
    if (request === 'live-heap') {
      // The stall is this test's own.
      all.disable();
      collect();
      all.enable();
      process.send?.(process.memoryUsage().heapUsed);
      return;
    }
    if (request === 'begin') all.reset();
    const { rss, heapUsed } = process.memoryUsage();
    if (request === 'figures') {
      const figures: Figures = {
        delay: delayOf(recent),
        delayOfAll: delayOf(all),
        rss,
        highestRss: Math.max(rss, highestRss),
        heapUsed,
      };
      process.send?.(figures);
    }
    recent.reset();
    highestRss = 0;
  });
  // A listener would keep a host alive that has nothing left to do.
  process.channel?.unref();
}

function delayOf(histogram: ReturnType<typeof monitorEventLoopDelay>): Delay {
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return { p50: late(histogram.percentile(50)), p99: late(histogram.percentile(99)), max: late(histogram.max) };
}

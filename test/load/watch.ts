/** Preloaded into a host's process (`node --import`). Answers the process that started it, by message. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `begin`: measure from now on. `figures`: answer with them. `live-heap`: answer with the bytes that a collection leaves. */
export type WatchRequest = 'begin' | 'figures' | 'live-heap';

export interface Figures {
  /** Milliseconds that timers were late by since `begin`: 99 of 100, and all. */
  readonly lateP99: number;
  readonly lateMax: number;
  /** Resident bytes. */
  readonly rss: number;
}

const RESOLUTION_MS = 10;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

if (process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  process.on('message', (request: WatchRequest) => {
    if (request === 'begin') delay.reset();
    else if (request === 'figures') {
      const { rss } = process.memoryUsage();
      process.send?.({ lateP99: late(delay.percentile(99)), lateMax: late(delay.max), rss } satisfies Figures);
    } else {
      // The stall is the benchmark's own.
      delay.disable();
      collect();
      delay.enable();
      process.send?.(process.memoryUsage().heapUsed);
    }
  });
  // A listener would keep a host alive that has nothing left to do.
  process.channel?.unref();
}

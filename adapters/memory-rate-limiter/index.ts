/** Limits counted in this process's memory; for a single process, and for tests. */
import type { LimitDecision, LimitRule, RateLimiter } from '../../core/ports/rate-limiter.ts';

interface Window {
  used: number;
  /** Of `performance.now()`. */
  readonly endsAt: number;
}

/** How often ended windows are looked for, also those of rules that nobody uses any more. */
const FORGET_EVERY_MS = 60_000;

/**
 * Counts units in fixed windows. A window begins with a key's first unit. Ended ones are forgotten, so memory holds only what was
 * used within one window. No timer waits for their ends: a window may be longer than timers reach.
 */
export function createMemoryRateLimiter(): RateLimiter {
  /** By rule and key. */
  const windows = new Map<string, Window>();
  let forgottenAt = performance.now();

  function forgetEnded(now: number): void {
    if (now - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = now;
    for (const [key, { endsAt }] of windows) if (endsAt <= now) windows.delete(key);
  }

  /** Changes the count by so many units, if they fit; an absent window is begun only by what is taken. */
  function change({ name, units: limit, windowSeconds }: LimitRule, key: string, by: number): LimitDecision {
    const now = performance.now();
    forgetEnded(now);
    const place = `${name}:${limit}:${windowSeconds}:${key}`;
    const known = windows.get(place);
    const current =
      known !== undefined && known.endsAt > now ? known : { used: 0, endsAt: now + windowSeconds * 1_000 };
    const used = Math.max(0, current.used + by);
    const allowed = used <= limit;
    if (allowed) current.used = used;
    if (allowed && by >= 0) windows.set(place, current);
    const resetSeconds = Math.max(1, Math.ceil(Math.round(current.endsAt - now) / 1_000));
    return { allowed, limit, remaining: Math.max(0, limit - current.used), resetSeconds };
  }

  return {
    consume: async (rule, key, units) => change(rule, key, units),
    giveBack: async (rule, key, units) => change(rule, key, -units),
    async close() {
      windows.clear();
    },
  };
}

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
  /** By rule. Windows of one rule are equally long, so they end in the order in which they are kept. */
  const windowsOf = new Map<string, Map<string, Window>>();
  let forgottenAt = performance.now();

  function forgetEnded(now: number): void {
    if (now - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = now;
    for (const [name, windows] of windowsOf) {
      for (const [key, { endsAt }] of windows) {
        if (endsAt > now) break;
        windows.delete(key);
      }
      if (windows.size === 0) windowsOf.delete(name);
    }
  }

  function windowsOfRule({ name, units, windowSeconds }: LimitRule): Map<string, Window> {
    const rule = `${name}:${units}:${windowSeconds}`;
    const windows = windowsOf.get(rule) ?? new Map<string, Window>();
    windowsOf.set(rule, windows);
    return windows;
  }

  /** Changes the count by so many units, if they fit; an absent window is begun only by what is taken. */
  function change(rule: LimitRule, key: string, by: number): LimitDecision {
    const now = performance.now();
    forgetEnded(now);
    const { units: limit, windowSeconds } = rule;
    const windows = windowsOfRule(rule);
    const known = windows.get(key);
    const current =
      known !== undefined && known.endsAt > now ? known : { used: 0, endsAt: now + windowSeconds * 1_000 };
    const used = Math.max(0, current.used + by);
    const allowed = used <= limit;
    if (allowed) current.used = used;
    if (allowed && by >= 0 && current !== known) {
      // Behind the others, which end sooner.
      windows.delete(key);
      windows.set(key, current);
    }
    const resetSeconds = Math.max(1, Math.ceil(Math.round(current.endsAt - now) / 1_000));
    return { allowed, limit, remaining: Math.max(0, limit - current.used), resetSeconds };
  }

  return {
    consume: async (rule, key, units) => change(rule, key, units),
    giveBack: async (rule, key, units) => change(rule, key, -units),
    async close() {
      windowsOf.clear();
    },
  };
}

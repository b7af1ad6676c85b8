/** How long to wait before the next attempt, and what a platform's `Retry-After` says. */
import type { RandomSource } from '../../core/ports/random-source.ts';
import { readRetryAfter } from '../../core/retry-after.ts';

const BASE_MS = 5_000;
const LIMIT_MS = 120_000;

/** 5 s · 2^n up to 120 s, spread by ±20 % so that callers who failed together do not come back together. */
export function backoffMs(attempt: number, random: RandomSource): number {
  const full = Math.min(LIMIT_MS, BASE_MS * 2 ** Math.min(attempt, 10));
  const fraction = Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32;
  return Math.round(Math.min(LIMIT_MS, full * (0.8 + 0.4 * fraction)));
}

/** The header as seconds (a number or an HTTP date), clamped to a day; undefined when absent or unreadable. */
export function parseRetryAfter(header: string | null, now: Date): number | undefined {
  const wait = readRetryAfter(header, now);
  return wait === null ? undefined : Math.ceil(wait / 1000);
}

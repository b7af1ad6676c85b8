/** Keeps what is only of use for a while from growing forever. */
import type { Needs } from '../engagement/use-case-parts.ts';
import { monotonicMs } from '../ports/clock.ts';
import { RETAINED_KINDS, type RetainedKind } from '../ports/retention-store.ts';

export interface PurgeExpiredDeps extends Needs<'retention', 'clock' | 'logger'> {
  /** `off` keeps everything but what is of no use to anybody. */
  readonly days: number | 'off';
  /** Of entries of the audit log; as `days` by default. */
  readonly auditDays?: number | 'off';
  /** Steps of one kind in one call; 1,000 by default, which is 250,000 records. */
  readonly maxSteps?: number;
}

/** How long a request that led nowhere is still told from one that never was. */
const UNCONNECTED_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** How often all records are looked at from the oldest on: what stayed because it was pending may be over. */
const WHOLE_EVERY_MS = 60 * 60 * 1_000;

interface Position {
  readonly from: number;
  /** When the pass began that this position is of; of `monotonicMs`. */
  readonly wholeAt: number;
}

/**
 * Removes records older than `days`. Also removes connection requests that led to no account, an hour after they expire, and
 * answers under idempotency keys as soon as they expire. Call it every now and then, from any number of processes. A call does
 * a bounded number of steps, and the next one continues where it stopped. Returns how many records it removed.
 */
export function purgeExpired(deps: PurgeExpiredDeps) {
  const { clock, logger, days, auditDays = days, maxSteps = 1_000 } = deps;
  const { retention } = deps.storage;
  const positions = new Map<RetainedKind, Position>();

  async function purge(kind: RetainedKind, before: Date): Promise<number> {
    const now = monotonicMs(clock);
    let { from, wholeAt } = positions.get(kind) ?? { from: 0, wholeAt: now };
    if (now - wholeAt >= WHOLE_EVERY_MS) [from, wholeAt] = [0, now];
    let removed = 0;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const step = await retention.purge(kind, before, from);
      removed += step.removed;
      // What was passed over is looked at again with the next whole pass, not in every call.
      if (step.next === null) break;
      from = step.next;
    }
    positions.set(kind, { from, wholeAt });
    return removed;
  }

  function ageOf(kind: RetainedKind): number | null {
    if (kind === 'unconnected') return UNCONNECTED_MS;
    // Each key says itself when it expires, and what was left behind has no age.
    if (kind === 'idempotency' || kind === 'leftovers') return 0;
    const kept = kind === 'audit' ? auditDays : days;
    return kept === 'off' ? null : kept * DAY_MS;
  }

  return async (): Promise<number> => {
    const now = clock.now().getTime();
    let total = 0;
    for (const kind of RETAINED_KINDS) {
      const age = ageOf(kind);
      if (age === null) continue;
      const before = new Date(now - age);
      const removed = await purge(kind, before);
      if (removed > 0) logger.info({ kind, removed, before }, 'expired records removed');
      total += removed;
    }
    return total;
  };
}

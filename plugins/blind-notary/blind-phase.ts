import { DomainError, untilAborted } from 'credence/kit';

/**
 * The parts of a blind session, in their order. `setup` does not depend on the request. In `online` the request is made. In `reveal`
 * the prover opens the visible bytes, and the notary signs them.
 */
export type BlindPhase = 'setup' | 'online' | 'reveal';

/** Longest time of each phase, in milliseconds. Without them a peer that stops would be waited for forever. */
export type PhaseLimits = Readonly<Record<BlindPhase, number>>;

export const PHASE_LIMITS: PhaseLimits = { setup: 120_000, online: 60_000, reveal: 60_000 };

/**
 * What the work gives, if it settles within the time of its phase.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the phase when it is too late; rejects with the signal's reason when that fires
 */
export async function withinPhase<T>(
  phase: BlindPhase,
  limits: PhaseLimits,
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const late = () => {
    const seconds = limits[phase] / 1000;
    return new DomainError(
      'INTERNAL_SERVER_ERROR',
      `The phase ${phase} of the blind session took longer than ${seconds} s.`,
    );
  };
  return inTime(work, signal, { ms: limits[phase], late });
}

/**
 * What the work gives, unless the signal fires first or the limit is over.
 * @throws the signal's reason, what `late` makes, or what the work throws
 */
export async function inTime<T>(
  work: Promise<T>,
  signal: AbortSignal,
  limit: { readonly ms: number; readonly late: () => Error },
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(limit.late()), limit.ms);
  try {
    return await untilAborted(work, AbortSignal.any([signal, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}

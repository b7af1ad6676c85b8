import { DomainError } from '../../errors.ts';

/** The parts of a blind session, in their order. */
export const BLIND_PHASES = ['setup', 'online', 'reveal'] as const;
/** `setup`: work that does not depend on the request. `online`: the request. `reveal`: what is shown, and the signature. */
export type BlindPhase = (typeof BLIND_PHASES)[number];

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
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const seconds = limits[phase] / 1000;
    reject(
      new DomainError(
        'INTERNAL_SERVER_ERROR',
        `The phase ${phase} of the blind session took longer than ${seconds} s.`,
      ),
    );
  }, limits[phase]);
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    // The loser of the race may still fail.
    work.catch(() => {});
  }
}

import type { Clock } from '../../ports/clock.ts';

export interface Patience {
  /** Ends the wait, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Ends the wait with null. */
  readonly deadline?: Date;
}

/** A timer set further ahead than this would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for a result as long as the patience lasts; null if the deadline came first. What is waited for continues. */
export async function patiently<T>(
  result: Promise<T>,
  { signal, deadline }: Patience,
  clock: Clock,
): Promise<T | null> {
  const limit = Promise.withResolvers<null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (deadline !== undefined) {
    const wait = Math.min(Math.max(deadline.getTime() - clock.now().getTime(), 0), LONGEST_TIMER_MS);
    timer = setTimeout(() => limit.resolve(null), wait);
  }
  const abort = () => limit.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([result, limit.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

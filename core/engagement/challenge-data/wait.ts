import { startTimer } from '../../long-timer.ts';
import type { Clock } from '../../ports/clock.ts';

export interface Patience {
  /** Ends the wait, with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Ends the wait with null. */
  readonly deadline?: Date;
}

/** Waits for a result as long as the patience lasts; null if the deadline came first. What is waited for continues. */
export async function patiently<T>(
  result: Promise<T>,
  { signal, deadline }: Patience,
  clock: Clock,
): Promise<T | null> {
  const limit = Promise.withResolvers<null>();
  const stop = deadline && startTimer(() => limit.resolve(null), deadline.getTime() - clock.now().getTime());
  const abort = () => limit.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([result, limit.promise]);
  } finally {
    stop?.();
    signal?.removeEventListener('abort', abort);
  }
}

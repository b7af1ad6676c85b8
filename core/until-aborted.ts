/**
 * Resolves or rejects as the work does, unless the signal fires first. The work is not stopped by that.
 * @throws what `why` makes, the signal's reason by default, as soon as the signal fires
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  why: () => unknown = () => signal.reason,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(why());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

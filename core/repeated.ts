/** After so many tries the pause grows no more. */
const LAST_DOUBLED = 6;

/**
 * Does work that may be repeated until no other work crosses it. The pause before a further try is random up to `pauseMs`, doubled
 * each time, so that the same ones do not meet again.
 * @throws what the last try threw, or what is not to be repeated
 */
export async function repeated<T>(
  work: (isRepeated: boolean) => Promise<T>,
  isToRepeat: (error: unknown) => boolean,
  tries: number,
  pauseMs: number,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt > 1);
    } catch (error) {
      if (!isToRepeat(error) || attempt >= tries) throw error;
    }
    const pause = Math.random() * pauseMs * 2 ** Math.min(attempt, LAST_DOUBLED);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

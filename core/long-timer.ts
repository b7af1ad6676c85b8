/** The furthest ahead that a timer can be set. One that is set further goes off after a millisecond. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls back after any time: at once if it has passed, and also if it is longer than a timer reaches. Returns what stops it. */
export function startTimer(callback: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (left: number) => {
    timer =
      left > LONGEST_TIMER_MS
        ? setTimeout(() => wait(left - LONGEST_TIMER_MS), LONGEST_TIMER_MS)
        : setTimeout(callback, left);
  };
  wait(Math.max(0, ms));
  return () => clearTimeout(timer);
}

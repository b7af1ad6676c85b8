/** Long computations in steps, so that other work of the process can come in between. */

/** A computation that pauses after every step of less than a millisecond. */
export type Steps<T> = Generator<void, T, void>;

/** After so many milliseconds, other work of the process gets its turn. The first steps of a process take longer than later ones. */
const TURN_MS = 2;

/** Runs all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** Runs the steps and gives way to other work every `turnMs` milliseconds. Rejects with what a step throws. */
export async function inTurns<T>(steps: Steps<T>, turnMs = TURN_MS): Promise<T> {
  for (let begun = performance.now(); ; ) {
    const next = steps.next();
    if (next.done === true) return next.value;
    if (performance.now() - begun < turnMs) continue;
    await nextTurn();
    begun = performance.now();
  }
}

/**
 * Lets other work of the process run. Where there is no `setImmediate`, in browsers, by a message: a timer of no time at all
 * waits a millisecond and more.
 */
export function nextTurn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const go = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', go, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}

/** Long computations in steps, so that other work of the process can come in between. */

/** A computation that pauses after every step of less than a millisecond. */
export type Steps<T> = Generator<void, T, void>;

/** Some milliseconds. */
const STEPS_PER_TURN = 32;

/** Runs all steps at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** Runs the steps and gives way to other work now and then. Rejects with what a step throws. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let step = 1; ; step += 1) {
    const next = steps.next();
    if (next.done === true) return next.value;
    if (step % STEPS_PER_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Long computations in steps, so that other work of the process can come in between. */

import { nextTurn } from '../../next-turn.ts';

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

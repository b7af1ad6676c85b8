/**
 * Turns of the event loop. Calls of SQLite are synchronous, and a promise that is resolved at once goes on in the same turn:
 * without a limit, reads that follow each other would keep everything else waiting until the last of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the reads of one turn may take; the last of them ends later. */
const TURN_MS = 6;

export interface Turns {
  /** Whether this turn has been used up. */
  isOver(): boolean;
  /** Waits for a turn that has time left. Those that wait are served in the order of their calls. */
  next(): Promise<void>;
}

export function createTurns(turnMs = TURN_MS): Turns {
  let began: number | undefined;
  const end = () => {
    began = undefined;
  };

  function isOver(): boolean {
    if (began !== undefined) return performance.now() - began > turnMs;
    began = performance.now();
    setImmediate(end);
    return false;
  }

  return {
    isOver,
    async next() {
      // Many may wait for the same turn: only the first ones find time left in it.
      while (isOver()) await nextTurn();
    },
  };
}

/**
 * Turns of the event loop. Calls of SQLite are synchronous, and a promise that is resolved at once continues in the same turn.
 * Without a limit, reads that follow each other would keep everything else waiting until the last of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the reads of one turn may take; the last of them ends later. */
const TURN_MS = 4;

export interface Turns {
  /** Whether reads have gone on for long enough. Between reads that are far apart, one more turn costs nothing. */
  isOver(): boolean;
  /** Waits for a turn that has time left. Those that wait are served in the order of their calls. */
  next(): Promise<void>;
}

export function createTurns(turnMs = TURN_MS): Turns {
  let began = performance.now();
  let isComing = false;

  const isOver = () => performance.now() - began > turnMs;

  function begin(): void {
    began = performance.now();
    isComing = false;
  }

  return {
    isOver,
    async next() {
      while (isOver()) {
        // Before those that wait for it. Each of them waits by itself, so that it sees what those before it have used up.
        if (!isComing) setImmediate(begin);
        isComing = true;
        await nextTurn();
      }
    },
  };
}

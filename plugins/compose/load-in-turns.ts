/** Loading much code without holding the event loop for all of it. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Loads modules one after the other, each in a turn of the event loop. A module that imports all of them has little left to
 * load afterwards. Rejects with what a module throws.
 */
export async function loadInTurns(...modules: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of modules) {
    await load();
    await nextTurn();
  }
}

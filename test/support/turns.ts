export interface TurnCounter extends Disposable {
  soFar(): number;
}

/** Counts the turns of the event loop that other work gets, until it is disposed of. */
export function countTurns(): TurnCounter {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  return { soFar: () => turns, [Symbol.dispose]: () => clearImmediate(next) };
}

/** Lists that are worked off in pieces, and lists that may not be long. */

/** The items in pieces of at most `size`. */
export function* pieces<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Items that one call of a store asks about at most. */
export const MOST_ASKED = 1_000;

/** The answers to what is asked about items, each once, in pieces of at most `MOST_ASKED` one after the other. */
export async function askInPieces<T, Answer>(
  items: Iterable<T>,
  ask: (some: readonly T[]) => Promise<Iterable<Answer>>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const some of pieces([...new Set(items)], MOST_ASKED))
    for (const answer of await ask(some)) answers.push(answer);
  return answers;
}

/** A list piece by piece to its end. Each piece is read when it is asked for, behind the last item of the one before. */
export async function* inPieces<T>(read: (last?: T) => Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  for (let last: T | undefined; ; ) {
    const items = await read(last);
    last = items.at(-1);
    if (last === undefined) return;
    yield items;
  }
}

/** The items that a store is asked about. @throws RangeError when there are more than 1,000; `what` names them */
export function atMost<T>(items: readonly T[], what: string): readonly T[] {
  if (items.length > MOST_ASKED) throw new RangeError(`At most ${MOST_ASKED} ${what} a call.`);
  return items;
}

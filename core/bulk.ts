/** Lists that are worked off in pieces, and lists that may not be long. */

/** The items in pieces of at most `size`. */
export function* pieces<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
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

/** The items. @throws RangeError when there are more than `most`; `what` names them */
export function atMost<T>(items: readonly T[], most: number, what: string): readonly T[] {
  if (items.length > most) throw new RangeError(`At most ${most} ${what} a call.`);
  return items;
}

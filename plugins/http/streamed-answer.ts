/** Long lists are sent while they are read: neither the rows nor their text are ever all in memory. */

/** A body that is made while the client takes it. */
export interface StreamedBody {
  /** Its text, in pieces of some tens of kilobytes. Throws if the rest cannot be read. The answer is then cut off. */
  readonly pieces: AsyncIterable<string>;
  /** How long the client may take to receive one piece. Then the mount ends the connection. */
  readonly pieceMs: number;
}

/**
 * Writes rows as `{ "data": [...] }`. Resolves with the first piece in hand, so that a storage that cannot be read at all is
 * answered like any other failure.
 * @param encode turns rows into what is sent as JSON
 */
export async function listPieces(
  rows: AsyncIterable<readonly unknown[]>,
  encode: (rows: readonly unknown[]) => unknown,
): Promise<AsyncIterable<string>> {
  const pieces = written(rows, encode);
  const first = await pieces.next();
  return rejoined(first, pieces);
}

async function* written(
  rows: AsyncIterable<readonly unknown[]>,
  encode: (rows: readonly unknown[]) => unknown,
): AsyncGenerator<string, void> {
  let lead = '{"data":[';
  for await (const some of rows) {
    if (some.length === 0) continue;
    yield lead + JSON.stringify(encode(some)).slice(1, -1);
    lead = ',';
  }
  yield lead === ',' ? ']}' : `${lead}]}`;
}

async function* rejoined(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    // A client that has gone before it took the first piece.
    await rest.return();
  }
}

/** The pieces, as long as each is taken in time. Calls `giveUp` if one is not. */
export async function* takenInTime(
  { pieces, pieceMs }: StreamedBody,
  giveUp: () => void,
): AsyncGenerator<string, void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for await (const piece of pieces) {
      timer = setTimeout(giveUp, pieceMs).unref();
      yield piece;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
  }
}

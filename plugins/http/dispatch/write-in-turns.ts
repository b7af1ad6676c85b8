/** Writes the JSON of a large answer in several turns of the event loop. */

/** Text that is written in one turn: some milliseconds of work. */
const TURN_CHARACTERS = 512 * 1024;
/** Deeper parts are written at once. Envelopes with a list of large results are not as deep. */
const SPLIT_DEPTH = 3;

/**
 * Returns the bytes of `JSON.stringify(value)`.
 * @param nextTurn called before the first part and whenever a turn has written enough
 */
export async function writeInTurns(value: object, nextTurn: () => Promise<void>): Promise<Uint8Array> {
  await nextTurn();
  const written: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value, 0)) {
    text += part;
    if (text.length < TURN_CHARACTERS) continue;
    written.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  written.push(Buffer.from(text));
  return Buffer.concat(written);
}

function* partsOf(value: unknown, depth: number): Generator<string, void> {
  if (depth >= SPLIT_DEPTH || !isPlain(value)) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    let lead = '[';
    for (const element of value) {
      yield lead;
      yield* partsOf(element, depth + 1);
      lead = ',';
    }
    yield lead === ',' ? ']' : '[]';
  } else {
    let lead = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined || typeof field === 'function' || typeof field === 'symbol') continue;
      yield `${lead}${JSON.stringify(name)}:`;
      yield* partsOf(field, depth + 1);
      lead = ',';
    }
    yield lead === ',' ? '}' : '{}';
  }
}

/** A list, or an object that is written field by field. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** What the main thread and the thread of claims say to each other. */
import type { QueriedValue } from '../../core/ports/claim-groups.ts';
import type { ValueKind } from '../../core/web-proof/extraction/journal-value.ts';

/** Answered in the order in which they are asked. */
export interface GroupsTask {
  readonly seed: Uint8Array;
  readonly first: number;
  readonly values: PackedValues;
}

/** The thread's first message: it can compute. */
export const READY = 'ready';

/** Hashes of groups. */
export type GroupsReply = readonly bigint[];

/** Values in a few pieces: copying hundreds of small objects to a thread takes a tenth of the time of their hashes. */
export interface PackedValues {
  /** All queries and texts in a row. */
  readonly text: string;
  /** Of each query and each text, in UTF-16 code units. */
  readonly lengths: Uint32Array;
  readonly kinds: readonly ValueKind[];
}

export function packValues(values: readonly QueriedValue[]): PackedValues {
  const lengths = new Uint32Array(2 * values.length);
  const kinds: ValueKind[] = [];
  let text = '';
  for (const [query, value] of values) {
    lengths[2 * kinds.length] = query.length;
    lengths[2 * kinds.length + 1] = value.text.length;
    kinds.push(value.kind);
    text += query + value.text;
  }
  return { text, lengths, kinds };
}

export function unpackValues({ text, lengths, kinds }: PackedValues): readonly QueriedValue[] {
  let at = 0;
  const next = (length = 0) => {
    at += length;
    return text.slice(at - length, at);
  };
  return kinds.map((kind, index) => [next(lengths[2 * index]), { kind, text: next(lengths[2 * index + 1]) }]);
}

/** Bulks that are repeated if concurrent writes cross them, as far as they were not done. */
import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb';
import { isClash, refusedWrites } from './failures.ts';
import { repeatOnClash } from './repeat.ts';

/**
 * Writes in any order. Repeats only what the server refused. If it gave up the whole command, nobody knows what was done. Then
 * all of it is repeated: a write that was done before must find its document no more, or change nothing.
 */
export async function writeBulk<D extends Document>(
  target: Collection<D>,
  writes: readonly AnyBulkWriteOperation<D>[],
): Promise<void> {
  let left = writes;
  if (left.length === 0) return;
  await repeatOnClash(async () => {
    try {
      await target.bulkWrite(left, { ordered: false });
    } catch (error) {
      const refused = refusedWrites(error);
      if (isClash(error) && refused !== null) left = refused.flatMap(({ index }) => left[index] ?? []);
      throw error;
    }
  });
}

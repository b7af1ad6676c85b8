/** Bulks and updates of many documents that are repeated if concurrent writes cross them, as far as they were not done. */
import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb';
import { isClash, refusedWrites } from './failures.ts';
import { repeatOnClash } from './repeat.ts';

/** How many writes found their document. Null: some may have found it in a try whose count is lost. */
export type Found = number | null;

/**
 * Writes in any order. Repeats only what the server refused. If it gave up the whole command, nobody knows what was done. Then
 * all of it is repeated: a write that was done before must find its document no more, or change nothing.
 * @returns how many updates and deletions found their document
 */
export async function writeBulk<D extends Document>(
  target: Collection<D>,
  writes: readonly AnyBulkWriteOperation<D>[],
): Promise<Found> {
  return bulk(target, writes, { ordered: false });
}

/** As `writeBulk`, one write after the other. @param repeated what is sent for a write that may have been done before */
export async function writeInOrder<D extends Document>(
  target: Collection<D>,
  writes: readonly AnyBulkWriteOperation<D>[],
  repeated: (write: AnyBulkWriteOperation<D>, index: number) => AnyBulkWriteOperation<D>,
): Promise<Found> {
  return bulk(target, writes, { ordered: true }, repeated);
}

async function bulk<D extends Document>(
  target: Collection<D>,
  writes: readonly AnyBulkWriteOperation<D>[],
  options: { readonly ordered: boolean },
  repeated = (write: AnyBulkWriteOperation<D>, _index: number) => write,
): Promise<Found> {
  let left = writes.map((write, index) => ({ write, index }));
  let [found, isCounted] = [0, true];
  return repeatOnClash(async () => {
    try {
      const { matchedCount, deletedCount } = await target.bulkWrite(
        left.map(({ write }) => write),
        options,
      );
      return isCounted ? found + matchedCount + deletedCount : null;
    } catch (error) {
      if (!isClash(error)) throw error;
      const refused = refusedWrites(error);
      if (refused === null) {
        isCounted = false;
        left = left.map(({ write, index }) => ({ write: repeated(write, index), index }));
      } else {
        found += countOf(error);
        const [first] = refused;
        // In order, the first that is refused ends the bulk.
        left = options.ordered ? left.slice(first?.index) : refused.flatMap(({ index }) => left[index] ?? []);
      }
      throw error;
    }
  });
}

function countOf(error: unknown): number {
  const { matchedCount = 0, deletedCount = 0 } = error as {
    readonly matchedCount?: number;
    readonly deletedCount?: number;
  };
  return matchedCount + deletedCount;
}

/** Updates many documents. Those that an earlier try has updated must not match the filter any more. */
export async function updateAll<D extends Document>(
  target: Collection<D>,
  ...[filter, update]: Parameters<Collection<D>['updateMany']>
): Promise<Found> {
  let tries = 0;
  const { matchedCount } = await repeatOnClash(() => {
    tries += 1;
    return target.updateMany(filter, update);
  });
  return tries === 1 ? matchedCount : null;
}

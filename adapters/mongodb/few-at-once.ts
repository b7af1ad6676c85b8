import PQueue from 'p-queue';

/** A connection for each collection would cost a start more than the wait. */
const FEW = 4;

/** Does the work for every item, for a few of them at a time, and returns the results in the order of the items. */
export function fewAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  return new PQueue({ concurrency: FEW }).addAll(items.map((item) => () => work(item)));
}

/** A connection for each collection would cost a start more than the wait. */
const FEW = 4;

/** Does the work for every item, for a few of them at a time, and returns the results in the order of the items. */
export async function fewAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const next = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: FEW }, next));
  return results;
}

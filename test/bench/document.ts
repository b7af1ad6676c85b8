/** What web proofs of the benchmarks are about. */

const KIB = 1024;

/** A JSON document whose answer, head included, has about so many KiB; with 16 it has about as many values as can be signed. */
export function documentOf(kib: number): unknown {
  const entry = {
    id: 123_456,
    name: 'An entry of the list, with a name of medium length',
    price: '3500.50',
    tags: ['one', 'two'],
  };
  const room = kib * KIB - 200;
  return { entries: Array.from({ length: Math.floor(room / (JSON.stringify(entry).length + 1)) }, () => entry) };
}

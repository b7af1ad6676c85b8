/** What web proofs of the benchmarks are about. */

const KIB = 1024;
/** Of one entry. */
const VALUES = 5;
/** About as many as can be signed. */
const MANY = 715;

/** Of the body: the head takes the rest. */
const roomOf = (kib: number) => kib * KIB - 200;

/** A JSON document whose answer, head included, has about so many KiB; with 16 it has `values` of them. */
export function documentOf(kib: number, values = MANY): unknown {
  const bytes = roomOf(16) / (values / VALUES);
  const entry = { id: 123_456, name: '', price: '3500.50', tags: ['one', 'two'] };
  const name = 'An entry of the list, with a name of some length'.padEnd(bytes - JSON.stringify(entry).length - 1, '.');
  return { entries: Array.from({ length: Math.floor(roomOf(kib) / bytes) }, () => ({ ...entry, name })) };
}

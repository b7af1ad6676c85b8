/** Leases of jobs and deliveries: `lease` counts claims and is the fence. What names an older one changes nothing. */
import { randomUUID } from 'node:crypto';
import type { Document, Filter } from 'mongodb';
import type { DocumentOf } from './documents.ts';
import type { Items } from './items.ts';
import { equals, instant } from './values.ts';

type Leasable = DocumentOf<'jobs' | 'deliveries'>;

/** Claims those of the documents that are due still. @returns what this call got */
export async function claimLeases<D extends Leasable>(
  items: Items<D, object>,
  due: Filter<D>,
  ids: readonly number[],
  { $set, $inc }: Record<'$set' | '$inc', Document>,
): Promise<D[]> {
  const claim = randomUUID();
  const those = { _id: { $in: [...ids] } };
  const update: Document = { $set: { ...$set, claim }, $inc: { ...$inc, lease: 1 } };
  await items.updateAll({ ...due, ...those } as Filter<D>, update);
  return items.raw.find<D>({ ...those, claim } as Filter<D>).toArray();
}

/** Sets the end of leases. @returns the ids whose fence still held */
export async function extendLeases<D extends Leasable>(
  items: Items<D, object>,
  status: D['status'],
  leased: readonly { readonly id: number; readonly lease: number }[],
  $set: Readonly<Record<string, Date>>,
): Promise<readonly number[]> {
  if (leased.length === 0) return [];
  Object.values($set).forEach(instant);
  const held = { $or: leased.map(({ id, lease }) => equals({ _id: id, lease, status })) } as Filter<D>;
  const matched = await items.updateAll(held, { $set } as Document);
  return matched === leased.length ? leased.map(({ id }) => id) : items.ids(held);
}

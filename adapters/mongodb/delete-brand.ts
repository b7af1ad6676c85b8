/**
 * Deletes brands that nothing belongs to, without a transaction. The deletion is noted in the brand first, which `find` then gives
 * no more; only after that it is counted what the brand has. What is created for the brand is counted, or its creator does not find
 * the brand afterwards and withdraws it. A note of a process that died holds the brand up for `LEASE_MS`.
 */
import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import { type BrandDocument, collection } from './documents.ts';

/** Longer than any deletion takes; one that is slower still is given up. */
const LEASE_MS = 60_000;
/** Leaves what clocks differ by. */
const MOST_MS = LEASE_MS / 2;

export function isBeingDeleted({ deletion }: BrandDocument): boolean {
  return deletion !== undefined && Math.abs(Date.now() - deletion.at.getTime()) < LEASE_MS;
}

export async function deleteBrand(db: Db, id: number): ReturnType<BrandStore['delete']> {
  const brands = collection(db, 'brands');
  for (;;) {
    const deletion = { nonce: randomUUID(), at: new Date() };
    // Of several deletions the last one that is noted continues.
    const { matchedCount } = await brands.updateOne({ _id: id }, { $set: { deletion } });
    if (matchedCount === 0) return 'not-found';
    const own = { _id: id, 'deletion.nonce': deletion.nonce };
    const [campaigns, webhooks] = await Promise.all([
      collection(db, 'campaigns').countDocuments({ brandId: id }),
      collection(db, 'webhooks').countDocuments({ brandId: id }),
    ]);
    if (campaigns > 0 || webhooks > 0) {
      await brands.updateOne(own, { $unset: { deletion: '' } });
      return { campaigns, webhooks };
    }
    if (Date.now() - deletion.at.getTime() > MOST_MS) continue;
    if ((await brands.deleteOne(own)).deletedCount === 1) return 'deleted';
  }
}

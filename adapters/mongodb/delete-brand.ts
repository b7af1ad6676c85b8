/**
 * Deletes brands without campaigns and webhooks, without a transaction. The deletion is noted in the brand first, which `find` then gives
 * no more; only after that it is counted what the brand has. What is created for the brand is counted, or its creator does not find
 * the brand afterwards and withdraws it. A note of a process that died holds the brand up for `LEASE_MS`.
 */
import { randomUUID } from 'node:crypto';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';

/** Longer than any deletion takes; one that is slower still is given up. */
const LEASE_MS = 60_000;
/** Leaves what clocks differ by. */
const MOST_MS = LEASE_MS / 2;

export function isBeingDeleted({ deletion }: DocumentOf<'brands'>): boolean {
  return deletion !== undefined && Math.abs(Date.now() - deletion.at.getTime()) < LEASE_MS;
}

export async function deleteBrand(db: Database, id: number): ReturnType<BrandStore['delete']> {
  for (;;) {
    const deletion = { nonce: randomUUID(), at: new Date() };
    // Of several deletions the last one that is noted continues.
    if (!(await db.brands.update({ _id: id }, { $set: { deletion } }))) return 'not-found';
    const own = { _id: id, 'deletion.nonce': deletion.nonce };
    const [campaigns, webhooks] = await Promise.all([
      db.campaigns.raw.countDocuments({ brandId: id }),
      db.webhooks.raw.countDocuments({ brandId: id }),
    ]);
    if (campaigns > 0 || webhooks > 0) {
      await db.brands.update(own, { $unset: { deletion: '' } });
      return { campaigns, webhooks };
    }
    // Before the brand: what is connected meanwhile is withdrawn.
    await db.brandConnections.deleteAll({ brandId: id });
    if (Date.now() - deletion.at.getTime() > MOST_MS) continue;
    if (await db.brands.delete(own)) return 'deleted';
  }
}

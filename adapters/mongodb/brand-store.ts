import { randomUUID } from 'node:crypto';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { DocumentOf } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import type { Database } from './items.ts';
import { equals, integer } from './values.ts';

export function createBrandStore(db: Database): BrandStore {
  return {
    async create(brand) {
      // A slug that is taken uses up no id; the unique index decides between those who come here at once.
      if (await db.brands.exists(equals({ slug: brand.slug }))) return null;
      const [stored] = await db.brands.insertNew([brand]);
      return stored === undefined ? null : db.brands.toItem(stored);
    },

    async find(id) {
      const brand = await db.brands.raw.findOne({ _id: integer(id) });
      return brand === null || isBeingDeleted(brand) ? null : db.brands.toItem(brand);
    },

    list: (page) => db.brands.page({}, 'id', page),

    async update(id, { name, slug, logoUrl }) {
      const target = { _id: integer(id) };
      const set = equals({}, { name, slug, logoUrl });
      try {
        return Object.keys(set).length === 0
          ? await db.brands.find(target)
          : await db.brands.change(target, { $set: set });
      } catch (error) {
        if (isDuplicateKey(error)) return 'slug-taken';
        throw error;
      }
    },

    delete: (id) => deleteBrand(db, integer(id)),
  };
}

/** Longer than any deletion takes; one that is slower still is given up. */
const LEASE_MS = 60_000;
/** Leaves what clocks differ by. */
const MOST_MS = LEASE_MS / 2;

function isBeingDeleted({ deletion }: DocumentOf<'brands'>): boolean {
  return deletion !== undefined && Math.abs(Date.now() - deletion.at.getTime()) < LEASE_MS;
}

/**
 * Deletes a brand without campaigns and webhooks, without a transaction. The deletion is noted in the brand first, which `find` then
 * gives no more; only after that it is counted what the brand has. What is created for the brand is counted, or its creator does not
 * find the brand afterwards and withdraws it. A note of a process that died holds the brand up for `LEASE_MS`.
 */
async function deleteBrand(db: Database, id: number): ReturnType<BrandStore['delete']> {
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

import type { BrandStore } from '../../core/ports/brand-store.ts';
import { deleteBrand, isBeingDeleted } from './delete-brand.ts';
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

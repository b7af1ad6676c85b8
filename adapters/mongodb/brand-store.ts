import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { deleteBrand, isBeingDeleted } from './delete-brand.ts';
import { type BrandDocument, collection, withId } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { integer, text } from './values.ts';

function toBrand({ deletion, ...brand }: BrandDocument): Brand {
  return withId(brand);
}

export function createBrandStore(connection: Connection): BrandStore {
  return {
    create: (brand) =>
      connection.run(async (db) => {
        const slug = text(brand.slug);
        // A slug that is taken uses up no id; the unique index decides between those who come here at once.
        if ((await collection(db, 'brands').findOne({ slug }, { projection: { _id: 1 } })) !== null) return null;
        const document = { _id: await reserveIds(db, 'brands'), ...brand, slug };
        const inserted = await insertMissing(db, 'brands', [document], ['slug']);
        return inserted.size > 0 ? withId(document) : null;
      }),

    find: (id) =>
      connection.run(async (db) => {
        const brand = await collection(db, 'brands').findOne({ _id: integer(id) });
        return brand === null || isBeingDeleted(brand) ? null : toBrand(brand);
      }),

    list: (page) =>
      connection.run(async (db) => {
        const { items, total } = await readPage(collection(db, 'brands'), {}, { direction: 1 }, page);
        return { items: items.map(toBrand), total };
      }),

    update: (id, { name, slug, logoUrl }) =>
      connection.run(async (db) => {
        const set = {
          ...(name !== undefined && { name }),
          ...(slug !== undefined && { slug: text(slug) }),
          ...(logoUrl !== undefined && { logoUrl }),
        };
        const brands = collection(db, 'brands');
        const target = { _id: integer(id) };
        try {
          const updated =
            Object.keys(set).length === 0
              ? await brands.findOne(target)
              : await brands.findOneAndUpdate(target, { $set: set }, { returnDocument: 'after' });
          return updated === null ? null : toBrand(updated);
        } catch (error) {
          if (isDuplicateKey(error)) return 'slug-taken';
          throw error;
        }
      }),

    delete: (id) => connection.run((db) => deleteBrand(db, integer(id))),
  };
}

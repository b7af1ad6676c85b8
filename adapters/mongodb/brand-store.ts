import type { BrandStore } from '../../core/ports/brand-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, withId } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { integer, text } from './values.ts';

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
        return brand === null ? null : withId(brand);
      }),

    list: (page) =>
      connection.run(async (db) => {
        const { items, total } = await readPage(collection(db, 'brands'), {}, { direction: 1 }, page);
        return { items: items.map(withId), total };
      }),
  };
}

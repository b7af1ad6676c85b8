import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { Connection } from './database.ts';
import { equals, type OrderedList, readPage } from './pages.ts';
import { BRANDS, CAMPAIGNS, WEBHOOKS } from './tables.ts';

const BY_ID: OrderedList<Brand> = { table: BRANDS, order: ['id'], direction: 'ASC' };

export function createBrandStore(connection: Connection): BrandStore {
  return {
    create: (brand) =>
      // A slug that is taken uses up no id.
      connection.write((sql) => (BRANDS.count(sql, 'slug = ?', brand.slug) > 0 ? null : BRANDS.insert(sql, brand))),
    find: (id) => connection.read((sql) => BRANDS.find(sql, 'WHERE id = ?', id)),
    list: (page) => connection.read((sql) => readPage(sql, BY_ID, equals({}), page)),

    update: (id, { name, slug, logoUrl }) =>
      connection.write((sql) => {
        const stored = BRANDS.find(sql, 'WHERE id = ?', id);
        if (stored === null) return null;
        if (slug !== undefined && BRANDS.count(sql, 'slug = ? AND id <> ?', slug, id) > 0) return 'slug-taken';
        const changes = { name: name ?? stored.name, slug: slug ?? stored.slug, logoUrl };
        BRANDS.update(sql, changes, 'WHERE id = ?', id);
        return BRANDS.find(sql, 'WHERE id = ?', id);
      }),

    delete: (id) =>
      connection.write((sql) => {
        if (BRANDS.count(sql, 'id = ?', id) === 0) return 'not-found';
        const campaigns = CAMPAIGNS.count(sql, 'brand_id = ?', id);
        const webhooks = WEBHOOKS.count(sql, 'brand_id = ?', id);
        if (campaigns > 0 || webhooks > 0) return { campaigns, webhooks };
        sql.run('DELETE FROM brands WHERE id = ?', id);
        return 'deleted';
      }),
  };
}

import type { BrandStore } from '../../core/ports/brand-store.ts';
import { all, readPage } from './pages.ts';
import { BRANDS, CAMPAIGNS, WEBHOOKS } from './tables.ts';
import type { SqlConnection } from './work.ts';

export function createBrandStore(connection: SqlConnection): BrandStore {
  return {
    create: (brand) =>
      connection.write(function* (sql) {
        // A slug that is taken uses up no id.
        return (yield* BRANDS.count(sql, 'slug = ?', brand.slug)) > 0 ? null : yield* BRANDS.insert(sql, brand);
      }),
    find: (id) => connection.read((sql) => BRANDS.find(sql, 'WHERE id = ?', id)),
    list: (page) => connection.read((sql) => readPage(sql, BRANDS, 'id', all(), page)),

    update: (id, { name, slug, logoUrl }) =>
      connection.write(function* (sql) {
        if ((yield* BRANDS.find(sql, 'WHERE id = ? FOR UPDATE', id)) === null) return null;
        if (slug !== undefined && (yield* BRANDS.count(sql, 'slug = ? AND id <> ?', slug, id)) > 0) return 'slug-taken';
        yield* BRANDS.update(sql, { name, slug, logoUrl }, 'WHERE id = ?', id);
        return yield* BRANDS.find(sql, 'WHERE id = ?', id);
      }),

    delete: (id) =>
      connection.write(function* (sql) {
        if ((yield* BRANDS.find(sql, 'WHERE id = ? FOR UPDATE', id)) === null) return 'not-found';
        const campaigns = yield* CAMPAIGNS.count(sql, 'brand_id = ?', id);
        const webhooks = yield* WEBHOOKS.count(sql, 'brand_id = ?', id);
        if (campaigns > 0 || webhooks > 0) return { campaigns, webhooks };
        yield* sql.run('DELETE FROM brand_connections WHERE brand_id = ?', id);
        yield* sql.run('DELETE FROM brands WHERE id = ?', id);
        return 'deleted';
      }),
  };
}

import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { Connection } from './database.ts';
import { equals, type OrderedList, readPage } from './pages.ts';
import { BRANDS } from './tables.ts';

const BY_ID: OrderedList<Brand> = { table: BRANDS, order: ['id'], direction: 'ASC' };

export function createBrandStore(connection: Connection): BrandStore {
  return {
    create: (brand) => connection.write((sql) => BRANDS.insertNew(sql, brand, 'slug')),
    find: (id) => connection.read((sql) => BRANDS.find(sql, 'WHERE id = ?', id)),
    list: (page) => connection.read((sql) => readPage(sql, BY_ID, equals({}), page)),
  };
}

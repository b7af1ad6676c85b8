import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { Connection } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import { millis, pageOf, toDate } from './values.ts';

interface BrandRow extends Omit<Brand, 'createdAt'> {
  readonly createdAt: number;
}

const COLUMNS = 'id, name, slug, logo_url AS logoUrl, created_at AS createdAt';

const BY_ID: OrderedList = {
  select: `SELECT ${COLUMNS} FROM brands`,
  from: 'brands',
  where: 'TRUE',
  order: ['id'],
  direction: 'ASC',
};

function toBrand(row: BrandRow): Brand {
  return { ...row, createdAt: toDate(row.createdAt) };
}

export function createBrandStore(connection: Connection): BrandStore {
  return {
    create: (brand) =>
      connection.write((sql) => {
        const row = sql.get<BrandRow>(
          `INSERT INTO brands (name, slug, logo_url, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (slug) DO NOTHING RETURNING ${COLUMNS}`,
          brand.name,
          brand.slug,
          brand.logoUrl,
          millis(brand.createdAt),
        );
        return row === undefined ? null : toBrand(row);
      }),

    find: (id) =>
      connection.read((sql) => {
        const row = sql.get<BrandRow>(`SELECT ${COLUMNS} FROM brands WHERE id = ?`, id);
        return row === undefined ? null : toBrand(row);
      }),

    list: () => connection.read((sql) => sql.all<BrandRow>(`SELECT ${COLUMNS} FROM brands ORDER BY id`).map(toBrand)),

    listPage: (page) => connection.read((sql) => pageOf(readPage<BrandRow>(sql, BY_ID, [], page), toBrand)),
  };
}

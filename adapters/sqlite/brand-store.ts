import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { BrandStore } from '../../core/ports/brand-store.ts';
import type { Connection } from './database.ts';
import { everyRow, type OrderedList, type Pages } from './pages.ts';
import { millis, pageOf, toDate } from './values.ts';
import { readWhole } from './whole-lists.ts';

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

export function createBrandStore(connection: Connection, pages: Pages): BrandStore {
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

    list: () =>
      readWhole<Brand>(connection, (sql, after, limit) =>
        sql
          .all<BrandRow>(`SELECT ${COLUMNS} FROM brands WHERE id > ? ORDER BY id LIMIT ?`, after?.id ?? 0, limit)
          .map(toBrand),
      ),

    listPage: async (page) => pageOf(await pages.read<BrandRow>(BY_ID, [], page, everyRow('brands')), toBrand),
  };
}

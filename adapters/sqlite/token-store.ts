import type { ApiToken, TokenQuota } from '../../core/access/token.ts';
import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import type { Connection, Sql } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import { fromJson, integer, millis, millisOrNull, pageOf, toDate, toDateOrNull, type Value } from './values.ts';

/** Most ids in one call of `findMany`. */
const MAX_IDS = 1_000;

const COLUMNS = `id, name, role, external_id AS externalId, brand_id AS brandId, quota, hash, created_at AS createdAt, last_used_at AS lastUsedAt,
  revoked_at AS revokedAt`;

interface TokenRow extends Omit<ApiToken, 'quota' | 'createdAt' | 'lastUsedAt' | 'revokedAt'> {
  readonly quota: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

const BY_ID: OrderedList = {
  select: `SELECT ${COLUMNS} FROM tokens`,
  from: 'tokens',
  where: 'TRUE',
  order: ['id'],
  direction: 'ASC',
};

function toToken(row: TokenRow): ApiToken {
  return {
    ...row,
    quota: row.quota === null ? null : fromJson<TokenQuota>(row.quota),
    createdAt: toDate(row.createdAt),
    lastUsedAt: toDateOrNull(row.lastUsedAt),
    revokedAt: toDateOrNull(row.revokedAt),
  };
}

function select(sql: Sql, rest: string, ...values: readonly Value[]): ApiToken[] {
  return sql.all<TokenRow>(`SELECT ${COLUMNS} FROM tokens ${rest}`, ...values).map(toToken);
}

function insert(sql: Sql, token: Omit<ApiToken, 'id'>): ApiToken {
  const { id } = sql.run(
    `INSERT INTO tokens (name, role, external_id, brand_id, quota, hash, created_at, last_used_at, revoked_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    token.name,
    token.role,
    token.externalId,
    token.brandId,
    token.quota === null ? null : JSON.stringify(token.quota),
    token.hash,
    millis(token.createdAt),
    millisOrNull(token.lastUsedAt),
    millisOrNull(token.revokedAt),
  );
  return { id, ...token };
}

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) => connection.write((sql) => insert(sql, token)),

    findByHash: (hash) =>
      connection.read((sql) => select(sql, 'WHERE hash = ? AND revoked_at IS NULL', hash)[0] ?? null),

    list: () => connection.read((sql) => select(sql, 'ORDER BY id')),

    findMany: async (ids) => {
      const wanted = JSON.stringify(atMost(ids, MAX_IDS, 'ids').map(integer));
      return connection.read((sql) => select(sql, 'WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id', wanted));
    },

    listPage: (page) => connection.read((sql) => pageOf(readPage<TokenRow>(sql, BY_ID, [], page), toToken)),

    revoke: (id, now, by) =>
      connection.write((sql) => {
        if (by !== undefined && select(sql, 'WHERE id = ? AND revoked_at IS NULL', by).length === 0) return false;
        sql.run('UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', millis(now), id);
        return select(sql, 'WHERE id = ?', id)[0] ?? null;
      }),

    hasAdmin: () =>
      connection.read(
        (sql) => sql.get("SELECT 1 FROM tokens WHERE role = 'admin' AND revoked_at IS NULL LIMIT 1") !== undefined,
      ),
  };
}

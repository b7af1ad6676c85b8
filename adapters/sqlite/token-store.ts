import type { ApiToken } from '../../core/access/token.ts';
import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import type { Connection } from './database.ts';
import { equals, type OrderedList, readPage } from './lists.ts';
import { TOKENS } from './tables.ts';
import { integer, millis } from './values.ts';

/** Most ids in one call of `findMany`. */
const MAX_IDS = 1_000;

const BY_ID: OrderedList<ApiToken> = { table: TOKENS, order: ['id'], direction: 'ASC' };

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) => connection.write((sql) => TOKENS.insert(sql, token)),

    findByHash: (hash) => connection.read((sql) => TOKENS.find(sql, 'WHERE hash = ? AND revoked_at IS NULL', hash)),

    list: () => connection.read((sql) => TOKENS.select(sql, 'ORDER BY id')),

    findMany: async (ids) => {
      const wanted = JSON.stringify(atMost(ids, MAX_IDS, 'ids').map(integer));
      return connection.read((sql) =>
        TOKENS.select(sql, 'WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id', wanted),
      );
    },

    listPage: (page) => connection.read((sql) => readPage(sql, BY_ID, equals({}), page)),

    revoke: (id, now, by) =>
      connection.write((sql) => {
        const isValid = 'WHERE id = ? AND revoked_at IS NULL';
        if (by !== undefined && TOKENS.find(sql, isValid, by) === null) return false;
        sql.run(`UPDATE tokens SET revoked_at = ? ${isValid}`, millis(now), id);
        return TOKENS.find(sql, 'WHERE id = ?', id);
      }),

    hasAdmin: () =>
      connection.read(
        (sql) => sql.get("SELECT 1 FROM tokens WHERE role = 'admin' AND revoked_at IS NULL LIMIT 1") !== undefined,
      ),
  };
}

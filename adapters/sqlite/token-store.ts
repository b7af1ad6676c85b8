import type { ApiToken } from '../../core/access/token.ts';
import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import type { Connection } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import { TOKENS } from './tables.ts';
import { integer, millis } from './values.ts';

/** Most ids in one call. */
const MAX_IDS = 1_000;

const BY_ID: OrderedList<ApiToken> = { table: TOKENS, order: ['id'], direction: 'ASC' };

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) => connection.write((sql) => TOKENS.insert(sql, token)),

    findByHash: (hash) => connection.read((sql) => TOKENS.find(sql, 'WHERE hash = ? AND revoked_at IS NULL', hash)),

    list: async ({ ids, activeAdmins }, page) => {
      const wanted = ids && JSON.stringify(atMost(ids, MAX_IDS, 'ids').map(integer));
      const parts = [
        'TRUE',
        ...(wanted === undefined ? [] : ['id IN (SELECT value FROM json_each(?))']),
        ...(activeAdmins ? ["role = 'admin' AND revoked_at IS NULL"] : []),
      ];
      const chosen = { where: parts.join(' AND '), values: wanted === undefined ? [] : [wanted] };
      return connection.read((sql) => readPage(sql, BY_ID, chosen, page));
    },

    revoke: (id, now, by) =>
      connection.write((sql) => {
        const isValid = 'WHERE id = ? AND revoked_at IS NULL';
        if (by !== undefined && TOKENS.find(sql, isValid, by) === null) return false;
        sql.run(`UPDATE tokens SET revoked_at = ? ${isValid}`, millis(now), id);
        return TOKENS.find(sql, 'WHERE id = ?', id);
      }),
  };
}

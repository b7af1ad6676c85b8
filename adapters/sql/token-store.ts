import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import { all, readPage, when } from './pages.ts';
import { TOKENS } from './tables.ts';
import { integer, millis } from './values.ts';
import { Among, type SqlConnection } from './work.ts';

const both = (id: number, by = id) => new Among([integer(id), integer(by)]);

export function createTokenStore(connection: SqlConnection): TokenStore {
  return {
    create: (token) => connection.write((sql) => TOKENS.insert(sql, token)),

    findByHash: (hash) => connection.read((sql) => TOKENS.find(sql, 'WHERE hash = ? AND revoked_at IS NULL', hash)),

    list: async ({ ids, activeAdmins }, page) => {
      const chosen = all(
        ids && when('id IN (?)', new Among(atMost(ids, 'ids').map(integer))),
        activeAdmins && when("role = 'admin' AND revoked_at IS NULL"),
      );
      return connection.read((sql) => readPage(sql, TOKENS, 'id', chosen, page));
    },

    revoke: (id, now, by) =>
      connection.write(function* (sql) {
        const isValid = 'WHERE id = ? AND revoked_at IS NULL';
        // In the order of their ids, so that tokens that revoke each other wait and do not meet.
        yield* TOKENS.select(sql, `WHERE id IN (?) ORDER BY id FOR UPDATE`, both(id, by));
        if (by !== undefined && (yield* TOKENS.find(sql, isValid, by)) === null) return false;
        yield* sql.run(`UPDATE tokens SET revoked_at = ? ${isValid}`, millis(now), id);
        return yield* TOKENS.find(sql, 'WHERE id = ?', id);
      }),
  };
}

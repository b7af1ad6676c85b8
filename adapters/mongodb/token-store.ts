import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import type { Database } from './items.ts';
import { revokeInNameOf, revokeOne } from './revoke-token.ts';
import { BULK_DOCUMENTS, instant, integer, integers, text } from './values.ts';

export function createTokenStore(db: Database): TokenStore {
  return {
    create: async (token) => db.tokens.append({ ...token, hash: text(token.hash) }),

    findByHash: async (hash) => db.tokens.find({ hash: text(hash), revokedAt: null }),

    async list({ ids, activeAdmins }, page) {
      const chosen = {
        ...(ids && { _id: { $in: integers(atMost(ids, BULK_DOCUMENTS, 'ids')) } }),
        ...(activeAdmins && { role: 'admin' as const, revokedAt: null }),
      };
      return db.tokens.page(chosen, 'id', page);
    },

    async revoke(id, now, by) {
      if (by === undefined) await revokeOne(db, integer(id), instant(now));
      else if (!(await revokeInNameOf(db, integer(by), integer(id), instant(now)))) return false;
      return db.tokens.find({ _id: id });
    },
  };
}

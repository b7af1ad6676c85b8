import type { Filter } from 'mongodb';
import type { ApiToken } from '../../core/access/token.ts';
import { atMost } from '../../core/bulk.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type TokenDocument, withId } from './documents.ts';
import { readPage } from './pages.ts';
import { revokeInNameOf, revokeOne } from './revoke-token.ts';
import { BULK_DOCUMENTS, checked, instant, integer, integers, text } from './values.ts';

function toToken({ revoking: _, ...document }: TokenDocument): ApiToken {
  return withId(document);
}

export function createTokenStore(connection: Connection): TokenStore {
  return {
    create: (token) =>
      connection.run(async (db) => {
        const document = { _id: await reserveIds(db, 'tokens'), ...token, hash: text(token.hash) };
        await collection(db, 'tokens').insertOne(checked(document));
        return withId(document);
      }),

    findByHash: (hash) =>
      connection.run(async (db) => {
        const token = await collection(db, 'tokens').findOne({ hash: text(hash), revokedAt: null });
        return token === null ? null : toToken(token);
      }),

    list: ({ ids, activeAdmins }, page) =>
      connection.run(async (db) => {
        const chosen: Filter<TokenDocument> = {
          ...(ids === undefined ? {} : { _id: { $in: integers(atMost(ids, BULK_DOCUMENTS, 'ids')) } }),
          ...(activeAdmins ? { role: 'admin', revokedAt: null } : {}),
        };
        const { items, total } = await readPage(collection(db, 'tokens'), chosen, { direction: 1 }, page);
        return { items: items.map(toToken), total };
      }),

    revoke: (id, now, by) =>
      connection.run(async (db) => {
        if (by === undefined) await revokeOne(db, integer(id), instant(now));
        else if (!(await revokeInNameOf(db, integer(by), integer(id), instant(now)))) return false;
        const token = await collection(db, 'tokens').findOne({ _id: id });
        return token === null ? null : toToken(token);
      }),
  };
}

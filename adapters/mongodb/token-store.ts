import { atMost } from '../../core/bulk.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { TokenStore } from '../../core/ports/token-store.ts';
import { repeated } from '../../core/repeated.ts';
import type { Database } from './items.ts';
import { instant, integer, integers, text } from './values.ts';

export function createTokenStore(db: Database): TokenStore {
  return {
    create: async (token) => db.tokens.append({ ...token, hash: text(token.hash) }),

    findByHash: async (hash) => db.tokens.find({ hash: text(hash), revokedAt: null }),

    async list({ ids, activeAdmins }, page) {
      const chosen = {
        ...(ids && { _id: { $in: integers(atMost(ids, 'ids')) } }),
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

/** Far longer than two writes take. If the process dies between them, nobody revokes the token for so long. */
const MARK_MS = 30_000;
const TRIES = 10;
const PAUSE_MS = 4;

/** Sets the time of revocation, unless the token is revoked already. */
async function revokeOne(db: Database, id: number, now: Date): Promise<void> {
  await db.tokens.update({ _id: id, revokedAt: null }, { $set: { revokedAt: now } });
}

/**
 * The same, without a transaction, if the token `by` is not revoked: false if it is. Its document says that it revokes, and a token
 * that does so cannot be revoked. Of tokens that meet, each steps back for a random moment.
 * @throws DomainError `CONFLICT` if others meet it again and again
 */
function revokeInNameOf(db: Database, by: number, id: number, now: Date): Promise<boolean> {
  const haveMet = (error: unknown) => isDomainError(error, 'CONFLICT');
  return repeated(() => tryToRevoke(db, by, id, now), haveMet, TRIES, PAUSE_MS);
}

async function tryToRevoke(db: Database, by: number, id: number, now: Date): Promise<boolean> {
  const { tokens } = db;
  const mark = { id: crypto.randomUUID(), until: new Date(now.getTime() + MARK_MS) };
  if (!(await tokens.update({ _id: by, revokedAt: null }, { $push: { revoking: mark } }))) return false;
  try {
    const isFree = { $not: { $elemMatch: { until: { $gt: now } } } };
    const free = { _id: id, revokedAt: null, revoking: isFree };
    if (await tokens.update(free, { $set: { revokedAt: now } })) return true;
    if (!(await tokens.exists({ _id: id, revokedAt: null }))) return true;
    throw new DomainError('CONFLICT', `Token ${id} revokes others at this moment: try again.`);
  } finally {
    await tokens.update({ _id: by }, { $pull: { revoking: { id: mark.id } } });
  }
}

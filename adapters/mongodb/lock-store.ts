import type { Db } from 'mongodb';
import type { LockStore } from '../../core/ports/lock-store.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { instant, text } from './values.ts';

/** How long an expired one-time key stays, so that processes whose clocks differ agree on it. */
const GRACE_MS = 3_600_000;

export function createLockStore(connection: Connection): LockStore {
  return {
    claimOnce: (key, expiresAt, now, holder) =>
      connection.run(async (db) => {
        const keys = collection(db, 'onceKeys');
        const claim = {
          _id: text(key),
          expiresAt: instant(expiresAt),
          holder: holder === undefined ? null : text(holder),
        };
        await keys.deleteMany({ expiresAt: { $lte: new Date(instant(now).getTime() - GRACE_MS) } });
        try {
          await keys.insertOne(claim);
          return true;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        const renewal = { $set: { expiresAt, holder: claim.holder } };
        const renewed = await keys.updateOne({ _id: key, expiresAt: { $lte: now } }, renewal);
        return renewed.matchedCount === 1 || (holder !== undefined && (await holderOf(db, key, now)) === holder);
      }),

    holderOf: (key, now) => connection.run((db) => holderOf(db, text(key), instant(now))),
  };
}

async function holderOf(db: Db, key: string, now: Date): Promise<string | null> {
  const found = await collection(db, 'onceKeys').findOne({ _id: key, expiresAt: { $gt: now } });
  return found?.holder ?? null;
}

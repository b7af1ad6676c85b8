import type { LockStore } from '../../core/ports/lock-store.ts';
import type { Database } from './items.ts';
import { instant, text } from './values.ts';

/** How long an expired one-time key stays, so that processes whose clocks differ agree on it. */
const GRACE_MS = 3_600_000;

export function createLockStore(db: Database): LockStore {
  const holderOf = async (key: string, now: Date) =>
    (await db.onceKeys.find({ _id: text(key), expiresAt: { $gt: now } }))?.holder ?? null;
  return {
    async claimOnce(key, expiresAt, now, holder) {
      const claim = { expiresAt: instant(expiresAt), holder: holder === undefined ? null : text(holder) };
      await db.onceKeys.deleteAll({ expiresAt: { $lte: new Date(instant(now).getTime() - GRACE_MS) } });
      if (await db.onceKeys.insertFirst({ _id: text(key), ...claim })) return true;
      if (await db.onceKeys.update({ _id: key, expiresAt: { $lte: now } }, { $set: claim })) return true;
      return holder !== undefined && (await holderOf(key, now)) === holder;
    },

    holderOf,
  };
}

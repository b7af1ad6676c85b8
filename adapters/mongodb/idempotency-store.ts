import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { CLOCKS_DIFFER_MS } from '../../core/ports/job-queue.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { isDuplicateKey } from './failures.ts';
import { instant, text } from './values.ts';

export function createIdempotencyStore(connection: Connection): IdempotencyStore {
  return {
    claim: (claim, now) =>
      connection.run(async (db) => {
        const keys = collection(db, 'idempotencyKeys');
        const key = text(claim.key);
        const fingerprint = text(claim.fingerprint);
        const taken = {
          fingerprint,
          lease: text(claim.lease),
          leaseUntil: instant(claim.leaseUntil),
          expiresAt: instant(claim.expiresAt),
          answer: null,
        };
        // Once more if the record was purged between the two reads.
        for (;;) {
          try {
            await keys.insertOne({ _id: key, ...taken });
            return null;
          } catch (error) {
            if (!isDuplicateKey(error)) throw error;
          }
          const free = [
            { expiresAt: { $lte: instant(now) } },
            { answer: null, fingerprint, leaseUntil: { $lte: instant(now) } },
            // Later than any can end by now: it was stored before the clock was set back.
            { answer: null, fingerprint, leaseUntil: { $gt: new Date(taken.leaseUntil.getTime() + CLOCKS_DIFFER_MS) } },
          ];
          const { matchedCount } = await keys.updateOne({ _id: key, $or: free }, { $set: taken });
          if (matchedCount === 1) return null;
          const found = await keys.findOne({ _id: key });
          if (found !== null) return { fingerprint: found.fingerprint, answer: found.answer };
        }
      }),

    renew: (key, lease, leaseUntil) =>
      connection.run(async (db) => {
        const running = { _id: text(key), lease: text(lease), answer: null };
        const renewal = { $set: { leaseUntil: instant(leaseUntil) } };
        return (await collection(db, 'idempotencyKeys').updateOne(running, renewal)).matchedCount === 1;
      }),

    end: (key, lease, answer) =>
      connection.run(async (db) => {
        const own = { _id: text(key), lease: text(lease) };
        const keys = collection(db, 'idempotencyKeys');
        if (answer === null) return (await keys.deleteOne({ ...own, answer: null })).deletedCount === 1;
        return (await keys.updateOne(own, { $set: { answer: text(answer) } })).matchedCount === 1;
      }),
  };
}

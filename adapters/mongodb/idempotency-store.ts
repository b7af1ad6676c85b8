import type { IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { CLOCKS_DIFFER_MS } from '../../core/ports/job-queue.ts';
import type { Database } from './items.ts';
import { equals, text } from './values.ts';

export function createIdempotencyStore(db: Database): IdempotencyStore {
  const keys = db.idempotencyKeys;
  return {
    async claim({ key, fingerprint, lease, leaseUntil, expiresAt }, now) {
      const taken = { ...equals({ fingerprint, lease }), leaseUntil, expiresAt, answer: null };
      // Once more if the record was purged between the two reads.
      for (;;) {
        if (await keys.insertFirst({ _id: text(key), ...taken })) return null;
        const free = [
          { expiresAt: { $lte: now } },
          { answer: null, fingerprint, leaseUntil: { $lte: now } },
          // Later than any can end by now: it was stored before the clock was set back.
          { answer: null, fingerprint, leaseUntil: { $gt: new Date(leaseUntil.getTime() + CLOCKS_DIFFER_MS) } },
        ];
        if (await keys.update({ _id: key, $or: free }, { $set: taken })) return null;
        const found = await keys.find({ _id: key });
        if (found !== null) return { fingerprint: found.fingerprint, answer: found.answer };
      }
    },

    renew: async (key, lease, leaseUntil) =>
      keys.update(equals({ _id: key, lease, answer: null }), { $set: { leaseUntil } }),

    async end(key, lease, answer) {
      const own = equals({ _id: key, lease });
      if (answer === null) return keys.delete({ ...own, answer: null });
      return keys.update(own, { $set: { answer: text(answer) } });
    },
  };
}

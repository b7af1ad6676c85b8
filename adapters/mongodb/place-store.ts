import type { PlaceStore } from '../../core/ports/place-store.ts';
import type { Database } from './items.ts';
import { integer, text } from './values.ts';

/** One document for a key: a place and the total change in one write. */
export function createPlaceStore({ places }: Database): PlaceStore {
  return {
    async take({ key, holder: id, revision, amount, atMost }) {
      const left = integer(atMost) - integer(amount);
      for (;;) {
        const had = { _id: text(key), 'holders.id': integer(id) };
        if (await places.update(had, { $max: { 'holders.$.revision': integer(revision) } })) return true;
        if (left < 0) return false;
        const place = { id, revision, amount };
        const hasRoom = { _id: key, used: { $lte: left }, 'holders.id': { $ne: id } };
        if (await places.update(hasRoom, { $inc: { used: amount }, $push: { holders: place } })) return true;
        if (await places.insertFirst({ _id: key, used: amount, holders: [place] })) return true;
        // Full, unless others have changed it between these writes.
        if (await places.exists({ _id: key, used: { $gt: left }, 'holders.id': { $ne: id } })) return false;
      }
    },

    async release({ key, holder: id, revision }) {
      const _id = text(key);
      const found = await places.find({ _id }, { projection: { holders: { $elemMatch: { id: integer(id) } } } });
      const place = found?.holders?.[0];
      if (place === undefined || place.revision > integer(revision)) return;
      // Of a holder the amount stays as it is. If the revision has changed, a later run has the place.
      const same = { id, revision: { $lte: revision }, amount: place.amount };
      await places.update(
        { _id, holders: { $elemMatch: same } },
        { $inc: { used: -place.amount }, $pull: { holders: { id } } },
      );
    },

    used: async (key) => (await places.find({ _id: text(key) }, { projection: { used: 1 } }))?.used ?? 0,
  };
}

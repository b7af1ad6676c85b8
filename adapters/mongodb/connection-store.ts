import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import type { Database } from './items.ts';
import { instant, integer, text } from './values.ts';

export function createConnectionStore(db: Database): ConnectionStore {
  const requests = db.connectionRequests;
  return {
    async create({ id, ...request }, maxOpen = Number.POSITIVE_INFINITY) {
      const expiresAt = { $gt: instant(request.createdAt) };
      const which = { externalId: text(request.externalId), status: 'pending', expiresAt } as const;
      const open = await requests.list(which, { sort: { expiresAt: 1 } });
      const refused = { stored: false, until: open[0]?.expiresAt ?? request.expiresAt } as const;
      if (open.length >= maxOpen) return refused;
      await requests.insert({ _id: text(id), ...request });
      // Counted once more with this one among them: of two that came at the same moment, each sees the other.
      if ((await requests.raw.countDocuments(which)) <= maxOpen) return { stored: true };
      await requests.delete({ _id: id });
      return refused;
    },

    find: (id) => requests.find({ _id: text(id) }),

    async update(before, { id, ...after }) {
      if (id !== before.id || after.revision !== before.revision + 1) {
        throw new RangeError('An update keeps the id and counts the revision up by one.');
      }
      return requests.update({ _id: text(id), revision: integer(before.revision) }, { $set: after });
    },
  };
}

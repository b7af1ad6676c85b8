import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import type { Connection } from './database.ts';
import { collection } from './documents.ts';
import { checked, instant, integer, text } from './values.ts';

export function createConnectionStore(connection: Connection): ConnectionStore {
  return {
    create: ({ id, ...request }, maxOpen = Number.POSITIVE_INFINITY) =>
      connection.run(async (db) => {
        const requests = collection(db, 'connectionRequests');
        const expiresAt = { $gt: instant(request.createdAt) };
        const open = { externalId: text(request.externalId), status: 'pending', expiresAt } as const;
        const refused = async () => {
          const first = await requests.findOne(open, { sort: { expiresAt: 1 } });
          return { stored: false, until: first?.expiresAt ?? request.expiresAt } as const;
        };
        const isBounded = Number.isFinite(maxOpen);
        if (isBounded && (await requests.countDocuments(open)) >= maxOpen) return await refused();
        await requests.insertOne(checked({ _id: text(id), ...request }));
        // Counted once more with this one among them: of two that came at the same moment, each sees the other.
        if (!isBounded || (await requests.countDocuments(open)) <= maxOpen) return { stored: true };
        await requests.deleteOne({ _id: id });
        return await refused();
      }),

    find: (id) =>
      connection.run(async (db) => {
        const request = await collection(db, 'connectionRequests').findOne({ _id: text(id) });
        if (request === null) return null;
        const { _id, ...rest } = request;
        return { id: _id, ...rest };
      }),

    update: (before, after) =>
      connection.run(async (db) => {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('An update keeps the id and counts the revision up by one.');
        }
        const { id, ...rest } = after;
        const unchanged = { _id: text(id), revision: integer(before.revision) };
        const { matchedCount } = await collection(db, 'connectionRequests').updateOne(unchanged, {
          $set: checked(rest),
        });
        return matchedCount === 1;
      }),
  };
}

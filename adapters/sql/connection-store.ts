import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import { CONNECTION_REQUESTS } from './tables.ts';
import { millis } from './values.ts';
import type { SqlConnection } from './work.ts';

const OPEN = "WHERE external_id = ? AND status = 'pending' AND expires_at > ? ORDER BY expires_at";

export function createConnectionStore(connection: SqlConnection): ConnectionStore {
  return {
    create: (request, maxOpen = Number.POSITIVE_INFINITY) =>
      connection.write(function* (sql) {
        yield* sql.oneAtATime(`connections of ${request.externalId}`);
        const open = yield* CONNECTION_REQUESTS.select(sql, OPEN, request.externalId, millis(request.createdAt));
        if (open.length >= maxOpen) return { stored: false as const, until: open[0]?.expiresAt ?? request.expiresAt };
        yield* CONNECTION_REQUESTS.insert(sql, request);
        return { stored: true as const };
      }),

    find: (id) => connection.read((sql) => CONNECTION_REQUESTS.find(sql, 'WHERE id = ?', id)),

    update: (before, after) =>
      connection.write(function* (sql) {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('An update keeps the id and counts the revision up by one.');
        }
        const seen = 'WHERE id = ? AND revision = ?';
        return (yield* CONNECTION_REQUESTS.update(sql, after, seen, before.id, before.revision)) > 0;
      }),
  };
}

import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import { CONNECTION_REQUESTS } from './tables.ts';
import { millis, toDate } from './values.ts';
import type { Sql, SqlConnection, Work } from './work.ts';

export function createConnectionStore(connection: SqlConnection): ConnectionStore {
  return {
    create: (request, maxOpen = Number.POSITIVE_INFINITY) =>
      connection.write(function* (sql) {
        yield* sql.oneAtATime(`connections of ${request.externalId}`);
        const open = yield* openRequests(sql, request);
        if (open.count >= maxOpen) {
          return { stored: false as const, until: toDate(open.first ?? millis(request.expiresAt)) };
        }
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

interface OpenRequests {
  readonly count: number;
  readonly first: number | null;
}

function* openRequests(sql: Sql, { externalId, createdAt }: ConnectionRequest): Work<OpenRequests> {
  const text = `SELECT count(*) AS count, min(expires_at) AS first FROM connection_requests
    WHERE external_id = ? AND status = 'pending' AND expires_at > ?`;
  return (yield* sql.get<OpenRequests>(text, externalId, millis(createdAt))) ?? { count: 0, first: null };
}

import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import type { Connection, Sql } from './database.ts';
import { CONNECTION_REQUESTS } from './tables.ts';
import { millis, toDate } from './values.ts';

export function createConnectionStore(connection: Connection): ConnectionStore {
  return {
    create: (request, maxOpen = Number.POSITIVE_INFINITY) =>
      connection.write((sql) => {
        const open = openRequests(sql, request);
        if (open.count >= maxOpen) {
          return { stored: false as const, until: toDate(open.first ?? millis(request.expiresAt)) };
        }
        CONNECTION_REQUESTS.insert(sql, request);
        return { stored: true as const };
      }),

    find: (id) => connection.read((sql) => CONNECTION_REQUESTS.find(sql, 'WHERE id = ?', id)),

    update: (before, after) =>
      connection.write((sql) => {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('An update keeps the id and counts the revision up by one.');
        }
        return CONNECTION_REQUESTS.update(sql, after, 'WHERE id = ? AND revision = ?', before.id, before.revision) > 0;
      }),
  };
}

interface OpenRequests {
  readonly count: number;
  readonly first: number | null;
}

function openRequests(sql: Sql, { externalId, createdAt }: ConnectionRequest): OpenRequests {
  const text = `SELECT count(*) AS count, min(expires_at) AS first FROM connection_requests
    WHERE external_id = ? AND status = 'pending' AND expires_at > ?`;
  return sql.get<OpenRequests>(text, externalId, millis(createdAt)) ?? { count: 0, first: null };
}

import type { ConnectionRequest } from '../../core/engagement/connections/connection.ts';
import type { ConnectionStore } from '../../core/ports/connection-store.ts';
import type { Connection, Sql } from './database.ts';
import { millis, toDate } from './values.ts';

interface RequestRow extends Omit<ConnectionRequest, 'createdAt' | 'expiresAt'> {
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly returnUrl: string | null;
}

export function createConnectionStore(connection: Connection): ConnectionStore {
  return {
    create: (request, maxOpen = Number.POSITIVE_INFINITY) =>
      connection.write((sql) => {
        const open = openRequests(sql, request);
        if (open.count >= maxOpen) {
          return { stored: false as const, until: toDate(open.first ?? millis(request.expiresAt)) };
        }
        sql.run(
          `INSERT INTO connection_requests (id, external_id, platform, handle, code, status, checks, max_checks, account_id,
            return_url, created_at, expires_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          request.id,
          request.externalId,
          request.platform,
          request.handle,
          request.code,
          request.status,
          request.checks,
          request.maxChecks,
          request.accountId,
          request.returnUrl ?? null,
          millis(request.createdAt),
          millis(request.expiresAt),
          request.revision,
        );
        return { stored: true as const };
      }),

    find: (id) =>
      connection.read((sql): ConnectionRequest | null => {
        const row = sql.get<RequestRow>(
          `SELECT id, external_id AS externalId, platform, handle, code, status, checks, max_checks AS maxChecks,
              account_id AS accountId, return_url AS returnUrl, created_at AS createdAt, expires_at AS expiresAt, revision
            FROM connection_requests WHERE id = ?`,
          id,
        );
        if (row === undefined) return null;
        const { returnUrl, ...rest } = row;
        const way = returnUrl === null ? {} : { returnUrl };
        return { ...rest, ...way, createdAt: toDate(row.createdAt), expiresAt: toDate(row.expiresAt) };
      }),

    update: (before, after) =>
      connection.write((sql) => {
        if (after.id !== before.id || after.revision !== before.revision + 1) {
          throw new RangeError('An update keeps the id and counts the revision up by one.');
        }
        const { changes } = sql.run(
          `UPDATE connection_requests SET handle = ?, code = ?, status = ?, checks = ?, max_checks = ?, account_id = ?,
            expires_at = ?, revision = ? WHERE id = ? AND revision = ?`,
          after.handle,
          after.code,
          after.status,
          after.checks,
          after.maxChecks,
          after.accountId,
          millis(after.expiresAt),
          after.revision,
          before.id,
          before.revision,
        );
        return changes > 0;
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

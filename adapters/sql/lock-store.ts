import type { LockStore } from '../../core/ports/lock-store.ts';
import { millis } from './values.ts';
import type { Sql, SqlConnection, Work } from './work.ts';

/** How long an expired one-time key stays, so that processes whose clocks differ agree on it. */
const GRACE_MS = 3_600_000;

export function createLockStore(connection: SqlConnection): LockStore {
  return {
    claimOnce: (key, expiresAt, now, holder) =>
      connection.write(function* (sql) {
        yield* sql.run('DELETE FROM once_keys WHERE expires_at <= ?', millis(now) - GRACE_MS);
        const changes = yield* sql.run(
          `INSERT INTO once_keys (key, expires_at, holder) VALUES (?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, holder = excluded.holder
              WHERE once_keys.expires_at <= ?`,
          key,
          millis(expiresAt),
          holder ?? null,
          millis(now),
        );
        return changes > 0 || (holder !== undefined && (yield* holderOf(sql, key, now)) === holder);
      }),

    holderOf: (key, now) => connection.read((sql) => holderOf(sql, key, now)),
  };
}

function* holderOf(sql: Sql, key: string, now: Date): Work<string | null> {
  const rest = 'FROM once_keys WHERE key = ? AND expires_at > ?';
  return (yield* sql.get<{ holder: string | null }>(`SELECT holder ${rest}`, key, millis(now)))?.holder ?? null;
}

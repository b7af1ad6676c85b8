import type { LockStore } from '../../core/ports/lock-store.ts';
import type { Connection, Sql } from './database.ts';
import { millis } from './values.ts';

/** How long an expired one-time key stays, so that processes whose clocks differ agree on it. */
const GRACE_MS = 3_600_000;

export function createLockStore(connection: Connection): LockStore {
  return {
    claimOnce: (key, expiresAt, now, holder) =>
      connection.write((sql) => {
        sql.run('DELETE FROM once_keys WHERE expires_at <= ?', millis(now) - GRACE_MS);
        const { changes } = sql.run(
          `INSERT INTO once_keys (key, expires_at, holder) VALUES (?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at, holder = excluded.holder
              WHERE once_keys.expires_at <= ?`,
          key,
          millis(expiresAt),
          holder ?? null,
          millis(now),
        );
        return changes > 0 || (holder !== undefined && holderOf(sql, key, now) === holder);
      }),

    holderOf: (key, now) => connection.read((sql) => holderOf(sql, key, now)),
  };
}

function holderOf(sql: Sql, key: string, now: Date): string | null {
  const rest = 'FROM once_keys WHERE key = ? AND expires_at > ?';
  return sql.get<{ holder: string | null }>(`SELECT holder ${rest}`, key, millis(now))?.holder ?? null;
}

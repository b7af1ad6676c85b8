import type { IdempotencyRecord, IdempotencyStore } from '../../core/ports/idempotency-store.ts';
import { CLOCKS_DIFFER_MS } from '../../core/ports/job-queue.ts';
import { changesSome, millis } from './values.ts';
import type { SqlConnection } from './work.ts';

/** A lease that ends later than any can by now was stored before the clock was set back. */
const FREE = `idempotency_keys.expires_at <= ? OR (idempotency_keys.answer IS NULL
  AND (idempotency_keys.lease_until <= ? OR idempotency_keys.lease_until > excluded.lease_until + ${CLOCKS_DIFFER_MS}) AND idempotency_keys.fingerprint = excluded.fingerprint)`;

export function createIdempotencyStore(connection: SqlConnection): IdempotencyStore {
  return {
    claim: ({ key, fingerprint, lease, leaseUntil, expiresAt }, now) =>
      connection.write(function* (sql) {
        const changes = yield* sql.run(
          `INSERT INTO idempotency_keys (key, fingerprint, lease, lease_until, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, lease = excluded.lease,
              lease_until = excluded.lease_until, expires_at = excluded.expires_at, answer = NULL WHERE ${FREE}`,
          key,
          fingerprint,
          lease,
          millis(leaseUntil),
          millis(expiresAt),
          millis(now),
          millis(now),
        );
        if (changes > 0) return null;
        return (
          (yield* sql.get<IdempotencyRecord>('SELECT fingerprint, answer FROM idempotency_keys WHERE key = ?', key)) ??
          null
        );
      }),

    renew: (key, lease, leaseUntil) =>
      connection.statement((sql) => {
        const text = 'UPDATE idempotency_keys SET lease_until = ? WHERE key = ? AND lease = ? AND answer IS NULL';
        return changesSome(sql, text, millis(leaseUntil), key, lease);
      }),

    end: (key, lease, answer) =>
      connection.statement((sql) => {
        const own = 'WHERE key = ? AND lease = ?';
        if (answer === null)
          return changesSome(sql, `DELETE FROM idempotency_keys ${own} AND answer IS NULL`, key, lease);
        return changesSome(sql, `UPDATE idempotency_keys SET answer = ? ${own}`, answer, key, lease);
      }),
  };
}

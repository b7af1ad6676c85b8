import type { CanaryFailure, CanaryOutboxEntry, CanaryRecord } from '../../core/canaries/canary.ts';
import type { CanaryStore } from '../../core/ports/canary-store.ts';
import type { Connection } from './database.ts';
import { fromJson, millis, millisOrNull, toDate, toDateOrNull } from './values.ts';

interface CanaryRow
  extends Omit<CanaryRecord, 'since' | 'fields' | 'missing' | 'failure' | 'readAt' | 'lastOkAt' | 'outbox'> {
  readonly since: number;
  readonly fields: string;
  readonly missing: string;
  readonly failure: string;
  readonly readAt: number;
  readonly lastOkAt: number | null;
  readonly outbox: string;
}

const SELECT = `SELECT target, platform, verdict, since, fields, missing, failure, read_at AS readAt,
  last_ok_at AS lastOkAt, duration_ms AS durationMs, outbox, revision FROM canaries`;

export function createCanaryStore(connection: Connection): CanaryStore {
  return {
    find: (target) =>
      connection.read((sql) => {
        const row = sql.get<CanaryRow>(`${SELECT} WHERE target = ?`, target);
        return row === undefined ? null : toRecord(row);
      }),

    list: () => connection.read((sql) => sql.all<CanaryRow>(`${SELECT} ORDER BY target`).map(toRecord)),

    save: (record) =>
      connection.write((sql) => {
        const values = [
          record.platform,
          record.verdict,
          millis(record.since),
          JSON.stringify(record.fields),
          JSON.stringify(record.missing),
          JSON.stringify(record.failure),
          millis(record.readAt),
          millisOrNull(record.lastOkAt),
          record.durationMs,
          JSON.stringify(record.outbox),
          record.revision,
        ];
        const { changes } =
          record.revision === 1
            ? sql.run(
                `INSERT INTO canaries (platform, verdict, since, fields, missing, failure, read_at, last_ok_at, duration_ms,
                  outbox, revision, target) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (target) DO NOTHING`,
                ...values,
                record.target,
              )
            : sql.run(
                `UPDATE canaries SET platform = ?, verdict = ?, since = ?, fields = ?, missing = ?, failure = ?, read_at = ?,
                  last_ok_at = ?, duration_ms = ?, outbox = ?, revision = ? WHERE target = ? AND revision = ?`,
                ...values,
                record.target,
                record.revision - 1,
              );
        return changes > 0;
      }),

    remove: (target) => connection.write((sql) => void sql.run('DELETE FROM canaries WHERE target = ?', target)),
  };
}

function toRecord(row: CanaryRow): CanaryRecord {
  return {
    ...row,
    since: toDate(row.since),
    fields: fromJson<string[]>(row.fields),
    missing: fromJson<string[]>(row.missing),
    failure: fromJson<CanaryFailure | null>(row.failure),
    readAt: toDate(row.readAt),
    lastOkAt: toDateOrNull(row.lastOkAt),
    outbox: fromJson<CanaryOutboxEntry[]>(row.outbox).map(({ id, event }) => ({
      id,
      event: { ...event, timestamp: new Date(event.timestamp) },
    })),
  };
}

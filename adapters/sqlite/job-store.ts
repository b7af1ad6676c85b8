/**
 * Leased jobs. `due_at` is when a job becomes claimable: `run_at` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing.
 */
import type { JobQueueStats } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Connection } from './connection.ts';
import { fromJson, millis, toDate } from './values.ts';

interface JobRow {
  readonly id: number;
  readonly type: ClaimedJob['type'];
  readonly key: string;
  readonly payload: string;
  readonly run: number;
  readonly lease: number;
  readonly runAt: number;
  readonly dueAt: number;
}

const FENCED = "id = ? AND lease = ? AND status = 'running'";

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.write((sql) => {
        for (const job of jobs) {
          const runAt = millis(job.runAt ?? now);
          sql.run(
            `INSERT INTO jobs (type, key, payload, status, run_at, due_at, run, lease, created_at)
              SELECT ?, ?, ?, 'queued', ?, ?, 0, 0, ?
              WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE key = ? AND status <> 'dead')`,
            job.type,
            job.key,
            JSON.stringify(job.payload),
            runAt,
            runAt,
            millis(now),
            job.key,
          );
        }
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.write((sql): ClaimedJob[] => {
        const rows = sql.all<JobRow>(
          `UPDATE jobs SET status = 'running', run = run + 1, lease = lease + 1, due_at = ?
            WHERE id IN (
              SELECT id FROM jobs
                WHERE status <> 'dead' AND run_at <= ? AND due_at <= ? AND type IN (SELECT value FROM json_each(?))
                ORDER BY run_at, id LIMIT ?)
            RETURNING id, type, key, payload, run, lease, run_at AS runAt, due_at AS dueAt`,
          millis(leaseUntil),
          millis(now),
          millis(now),
          JSON.stringify(types),
          limit,
        );
        return rows
          .sort((a, b) => a.runAt - b.runAt || a.id - b.id)
          .map((row) => ({
            id: row.id,
            type: row.type,
            key: row.key,
            payload: fromJson<unknown>(row.payload),
            run: row.run,
            lease: row.lease,
            leaseUntil: toDate(row.dueAt),
          }));
      }),

    extend: (jobs, leaseUntil) =>
      connection.write((sql) =>
        jobs
          .filter(
            (job) =>
              sql.run(`UPDATE jobs SET due_at = ? WHERE ${FENCED}`, millis(leaseUntil), job.id, job.lease).changes > 0,
          )
          .map((job) => job.id),
      ),

    complete: (job) =>
      connection.write((sql) => sql.run(`DELETE FROM jobs WHERE ${FENCED}`, job.id, job.lease).changes > 0),

    release: (job, runAt, error, countRun) =>
      connection.write((sql) => {
        const { changes } = sql.run(
          `UPDATE jobs SET status = 'queued', run_at = ?, due_at = ?, error = ?, run = run - ? WHERE ${FENCED}`,
          millis(runAt),
          millis(runAt),
          error,
          countRun ? 0 : 1,
          job.id,
          job.lease,
        );
        return changes > 0;
      }),

    bury: (job, error, now) =>
      connection.write((sql) => {
        const { changes } = sql.run(
          `UPDATE jobs SET status = 'dead', error = ?, finished_at = ? WHERE ${FENCED}`,
          error,
          millis(now),
          job.id,
          job.lease,
        );
        return changes > 0;
      }),

    nextDue: (types) =>
      connection.read((sql) => {
        const row = sql.get<{ dueAt: number | null }>(
          `SELECT min(due_at) AS dueAt FROM jobs
            WHERE status <> 'dead' AND type IN (SELECT value FROM json_each(?))`,
          JSON.stringify(types),
        );
        return row === undefined || row.dueAt === null ? null : toDate(row.dueAt);
      }),

    stats: (now) =>
      connection.read((sql): JobQueueStats => {
        const row = sql.get<JobQueueStats>(
          `SELECT count(*) FILTER (WHERE status = 'queued' OR (status = 'running' AND due_at <= ?)) AS queued,
              count(*) FILTER (WHERE status = 'running' AND due_at > ?) AS running,
              count(*) FILTER (WHERE status = 'dead') AS dead FROM jobs`,
          millis(now),
          millis(now),
        );
        return row ?? { queued: 0, running: 0, dead: 0 };
      }),
  };
}

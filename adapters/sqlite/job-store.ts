/**
 * Leased jobs. `due_at` is when a job becomes claimable: `run_at` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing.
 */
import { CLOCKS_DIFFER_MS, type JobQueueStats } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Connection } from './database.ts';
import { fromJson, integer, millis, toDate, type Value } from './values.ts';

interface JobRow {
  readonly id: number;
  readonly type: ClaimedJob['type'];
  readonly key: string;
  readonly payload: string;
  readonly run: number;
  readonly lease: number;
  readonly runAt: number;
  readonly dueAt: number;
  readonly createdAt: number;
}

interface Due {
  readonly id: number;
  readonly dueAt: number;
}

// Of one type, so that it reads its few rows off the front of an index, however long the queue.
const DUE = `SELECT id, due_at AS dueAt FROM jobs WHERE type = ? AND status <> 'dead' AND due_at <= ? ORDER BY due_at, id LIMIT ?`;
const NEXT_DUE = `SELECT min((SELECT min(due_at) FROM jobs WHERE type = value AND status <> 'dead')) AS at FROM json_each(?)`;
const CLAIM = `UPDATE jobs SET status = 'running', run = run + 1, lease = lease + 1, due_at = ? WHERE id IN (SELECT value FROM json_each(?))
  RETURNING id, type, key, payload, run, lease, run_at AS runAt, due_at AS dueAt, created_at AS createdAt`;
const INSERT = `INSERT INTO jobs (type, key, payload, status, run_at, due_at, run, lease, created_at)
  VALUES (?, ?, ?, 'queued', ?, ?, 0, 0, ?) ON CONFLICT (key) WHERE status <> 'dead' DO NOTHING`;
const END_LEASES = "UPDATE jobs SET due_at = min(due_at, ?) WHERE status = 'running'";
const BRING_FORWARD = `UPDATE jobs SET run_at = earlier, due_at = earlier, created_at = min(created_at, now)
  FROM (SELECT id AS job, now, latest, by, max(now, run_at - max(by, created_at - now)) AS earlier
    FROM jobs, (SELECT ? AS now, ? AS by, ? AS latest) WHERE status = 'queued' AND run_at > now) moved
  WHERE id = job AND (by > 0 OR created_at > latest)`;
const FENCED = "id = ? AND lease = ? AND status = 'running'";

function toClaimed({ payload, runAt: _, dueAt, createdAt, ...row }: JobRow): ClaimedJob {
  return { ...row, payload: fromJson<unknown>(payload), leaseUntil: toDate(dueAt), createdAt: toDate(createdAt) };
}

export function createJobStore(connection: Connection): JobStore {
  return {
    enqueue: (jobs, now) =>
      connection.write((sql) => {
        for (const { type, key, payload, runAt = now } of jobs) {
          sql.run(INSERT, type, key, JSON.stringify(payload), millis(runAt), millis(runAt), millis(now));
        }
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.write((sql): ClaimedJob[] => {
        const due = types
          .flatMap((type) => sql.all<Due>(DUE, type, millis(now), limit))
          .sort((one, other) => one.dueAt - other.dueAt || one.id - other.id)
          .slice(0, limit);
        if (due.length === 0) return [];
        return sql
          .all<JobRow>(CLAIM, millis(leaseUntil), JSON.stringify(due.map(({ id }) => id)))
          .sort((one, other) => one.runAt - other.runAt || one.id - other.id)
          .map(toClaimed);
      }),

    extend: (jobs, leaseUntil) =>
      connection.write((sql) =>
        jobs.flatMap(({ id, lease }) => {
          const { changes } = sql.run(`UPDATE jobs SET due_at = ? WHERE ${FENCED}`, millis(leaseUntil), id, lease);
          return changes > 0 ? [id] : [];
        }),
      ),

    complete: ({ id, lease }) =>
      connection.write((sql) => sql.run(`DELETE FROM jobs WHERE ${FENCED}`, id, lease).changes > 0),

    release: ({ id, lease }, runAt, error, countRun) =>
      connection.write((sql) => {
        const text = `UPDATE jobs SET status = 'queued', run_at = ?, due_at = ?, error = ?, run = run - ? WHERE ${FENCED}`;
        return sql.run(text, millis(runAt), millis(runAt), error, countRun ? 0 : 1, id, lease).changes > 0;
      }),

    deadLetter: ({ id, lease }, error, now) =>
      connection.write((sql) => {
        const text = `UPDATE jobs SET status = 'dead', error = ?, finished_at = ? WHERE ${FENCED}`;
        return sql.run(text, error, millis(now), id, lease).changes > 0;
      }),

    remove: (key) =>
      connection.write((sql) => sql.run("DELETE FROM jobs WHERE key = ? AND status <> 'dead'", key).changes > 0),

    afterSetBack: (now, leaseUntil, byMs) =>
      connection.write((sql) => {
        const at = millis(now);
        sql.run(END_LEASES, millis(leaseUntil));
        sql.run(BRING_FORWARD, at, integer(byMs), at + CLOCKS_DIFFER_MS);
      }),

    nextDue: (types) =>
      connection.read((sql) => {
        const at = sql.get<{ at: number | null }>(NEXT_DUE, JSON.stringify(types))?.at ?? null;
        return at === null ? null : toDate(at);
      }),

    stats: (now) =>
      connection.read((sql): JobQueueStats => {
        const count = (where: string, ...values: readonly Value[]) =>
          sql.get<{ n: number }>(`SELECT count(*) AS n FROM jobs WHERE ${where}`, ...values)?.n ?? 0;
        const running = count("status = 'running' AND due_at > ?", millis(now));
        return { queued: count("status <> 'dead'") - running, running, dead: count("status = 'dead'") };
      }),
  };
}

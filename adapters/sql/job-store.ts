/**
 * Leased jobs. `due_at` is when a job becomes claimable: `run_at` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing.
 */

import { gathered } from '../../core/gather.ts';
import { parseJson } from '../../core/json-reader.ts';
import { CLOCKS_DIFFER_MS, type JobQueueStats, type JobState } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import { all, type Condition, equals, readPage, when } from './pages.ts';
import { JOBS } from './tables.ts';
import { changesSome, type Due, each, extendLeases, integer, longestWaiting, millis } from './values.ts';
import { Among, type SqlConnection, type Work } from './work.ts';

interface JobRow extends Omit<ClaimedJob, 'payload' | 'leaseUntil' | 'createdAt'> {
  readonly payload: string;
  readonly runAt: number;
  readonly dueAt: number;
  readonly createdAt: number;
}

// Of one type, so that it reads its few rows off the front of an index, however long the queue.
const DUE = `SELECT id, due_at AS at FROM jobs WHERE type = ? AND status <> 'dead' AND due_at <= ?
  ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`;
const NEXT_DUE = "SELECT min(due_at) AS at FROM jobs WHERE type = ? AND status <> 'dead'";
const CLAIM = `UPDATE jobs SET status = 'running', run = run + 1, lease = lease + 1, due_at = ? WHERE id IN (?)
  RETURNING id, type, key, payload, run, lease, run_at AS "runAt", due_at AS "dueAt", created_at AS "createdAt"`;
const END_LEASES = "UPDATE jobs SET due_at = least(due_at, ?) WHERE status = 'running'";
const BRING_FORWARD = `UPDATE jobs SET run_at = earlier, due_at = earlier, created_at = least(created_at, now)
  FROM (SELECT id AS job, now, latest, by_ms, greatest(now, run_at - greatest(by_ms, created_at - now)) AS earlier
    FROM jobs, (SELECT CAST(? AS BIGINT) AS now, CAST(? AS BIGINT) AS by_ms, CAST(? AS BIGINT) AS latest) AS clock
    WHERE status = 'queued' AND run_at > now) AS moved
  WHERE id = job AND status = 'queued' AND (by_ms > 0 OR created_at > latest)`;
const COMPLETE = `DELETE FROM jobs WHERE id IN (?) AND status = 'running'
  AND id || ' ' || lease IN (?) RETURNING id || ' ' || lease AS fence`;
const FENCED = "id = ? AND lease = ? AND status = 'running'";

function toClaimed({ payload, runAt: _, dueAt, createdAt, ...row }: JobRow): ClaimedJob {
  return { ...row, payload: parseJson(payload), leaseUntil: new Date(dueAt), createdAt: new Date(createdAt) };
}

/** By the time of the question. A job whose lease has run out waits. */
const STATES: Readonly<Record<JobState, (now: number) => Condition>> = {
  waiting: (now) => when("status <> 'dead' AND (status = 'queued' OR due_at <= ?)", now),
  running: (now) => when("status <> 'dead' AND status = 'running' AND due_at > ?", now),
  dead: () => when("status = 'dead'"),
};

export function createJobStore(connection: SqlConnection): JobStore {
  const complete = gathered(async (fences: readonly string[]) => {
    const ids = new Among(fences.map((fence) => Number.parseInt(fence, 10)));
    const done = await connection.statement((sql) => sql.all<{ fence: string }>(COMPLETE, ids, new Among(fences)));
    return new Map(done.map(({ fence }) => [fence, true]));
  });
  return {
    async enqueue(jobs, now) {
      const rows = jobs.map(({ type, key, payload, runAt = now }) => {
        return { type, key, payload, status: 'queued' as const, runAt, dueAt: runAt, run: 0, lease: 0, createdAt: now };
      });
      await connection.write((sql) => JOBS.insertNew(sql, rows, "(key) WHERE status <> 'dead'"));
      connection.tell?.(jobs.map(({ type }) => type));
    },

    claim: (types, limit, now, leaseUntil) =>
      connection.write(function* (sql): Work<ClaimedJob[]> {
        if (types.length === 0) return [];
        const values = types.flatMap((type) => [type, millis(now), limit]);
        const due = yield* sql.all<Due>(each(DUE, types.length), ...values);
        if (due.length === 0) return [];
        const ids = new Among(longestWaiting(due, limit));
        const claimed = yield* sql.all<JobRow>(CLAIM, millis(leaseUntil), ids);
        return claimed.sort((one, other) => one.runAt - other.runAt || one.id - other.id).map(toClaimed);
      }),

    extend: (jobs, leaseUntil) =>
      connection.write((sql) => extendLeases(sql, 'jobs', { live: 'running', ends: 'due_at' }, jobs, leaseUntil)),

    complete: async ({ id, lease }) => (await complete(`${integer(id)} ${integer(lease)}`)) ?? false,

    release: ({ id, lease }, runAt, error, countRun) =>
      connection.statement((sql) => {
        const text = `UPDATE jobs SET status = 'queued', run_at = ?, due_at = ?, error = ?, run = run - ? WHERE ${FENCED}`;
        return changesSome(sql, text, millis(runAt), millis(runAt), error, countRun ? 0 : 1, id, lease);
      }),

    deadLetter: ({ id, lease }, error, now) =>
      connection.statement((sql) => {
        const text = `UPDATE jobs SET status = 'dead', error = ?, finished_at = ? WHERE ${FENCED}`;
        return changesSome(sql, text, error, millis(now), id, lease);
      }),

    remove: (key) =>
      connection.statement((sql) => changesSome(sql, "DELETE FROM jobs WHERE key = ? AND status <> 'dead'", key)),

    afterSetBack: (now, leaseUntil, byMs) =>
      connection.write(function* (sql) {
        const at = millis(now);
        yield* sql.run(END_LEASES, millis(leaseUntil));
        yield* sql.run(BRING_FORWARD, at, integer(byMs), at + CLOCKS_DIFFER_MS);
      }),

    nextDue: (types) =>
      connection.read(function* (sql) {
        if (types.length === 0) return null;
        const rows = yield* sql.all<{ at: number | null }>(each(NEXT_DUE, types.length), ...types);
        const times = rows.flatMap(({ at }) => at ?? []);
        return times.length === 0 ? null : new Date(Math.min(...times));
      }),

    list: ({ state, type, id }, page, now) =>
      connection.read(function* (sql) {
        const chosen = all(equals({ type, id }), STATES[state](millis(now)));
        const { items, total } = yield* readPage(sql, JOBS, state === 'dead' ? '-id' : 'dueAt', chosen, page);
        return { items: items.map(({ run, lease, runAt, status, ...job }) => ({ ...job, runs: run })), total };
      }),

    removeDead: (ids) =>
      connection.statement((sql) => sql.run("DELETE FROM jobs WHERE status = 'dead' AND id IN (?)", new Among(ids))),

    stats: (now) =>
      connection.read(function* (sql): Work<JobQueueStats> {
        const running = yield* JOBS.count(sql, "status = 'running' AND due_at > ?", millis(now));
        const live = yield* JOBS.count(sql, "status <> 'dead'");
        return { queued: live - running, running, dead: yield* JOBS.count(sql, "status = 'dead'") };
      }),
  };
}

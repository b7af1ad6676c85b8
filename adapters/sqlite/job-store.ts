/**
 * Leased jobs. `due_at` is when a job becomes claimable: `run_at` while it is queued, the end of its lease while it runs.
 * `lease` counts claims and is the fence: what names an older one changes nothing. Jobs of groups: `job-groups.ts`.
 */
import { pieces } from '../../core/bulk.ts';
import { CLOCKS_DIFFER_MS, type JobQueueStats, LONGEST_PAUSE_MS, type NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimAtOnce, ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Connection, Sql } from './database.ts';
import { type Candidate, giveTurn, pauseGroup, readyGroups, takeTurns } from './job-groups.ts';
import { fromJson, integer, millis, toDate, type Value } from './values.ts';

interface JobRow {
  readonly id: number;
  readonly type: ClaimedJob['type'];
  readonly key: string;
  readonly payload: string;
  readonly group: string | null;
  readonly run: number;
  readonly lease: number;
  readonly dueAt: number;
  readonly createdAt: number;
}

interface Turn {
  readonly type: NewJob['type'];
  readonly group: string | null;
  readonly runAt: number;
}

// One type and one status each, so that every query reads its few rows off the front of an index, however long the queue.
const QUEUED = `SELECT id, run_at AS runAt FROM jobs
  WHERE type = ? AND status = 'queued' AND job_group IS NULL AND run_at <= ? ORDER BY run_at, id LIMIT ?`;
const EXPIRED = `SELECT id, run_at AS runAt FROM jobs WHERE type = ? AND status = 'running' AND due_at <= ?
  ORDER BY run_at, id LIMIT ?`;
const NEXT_DUE = `SELECT min(min(
    coalesce((SELECT min(run_at) FROM jobs WHERE type = value AND status = 'queued' AND job_group IS NULL), $never),
    coalesce((SELECT min(ready_at) FROM job_groups WHERE type = value), $never),
    coalesce((SELECT min(due_at) FROM jobs WHERE type = value AND status = 'running'), $never)
  )) AS at FROM json_each(?)`.replaceAll('$never', String(Number.MAX_SAFE_INTEGER));
const CLAIM = `UPDATE jobs SET status = 'running', run = run + 1, lease = lease + 1, due_at = ? WHERE id IN (SELECT value FROM json_each(?))
  RETURNING id, type, key, payload, job_group AS "group", run, lease, due_at AS dueAt, created_at AS createdAt`;
const INSERT = `INSERT INTO jobs (type, key, payload, job_group, status, run_at, due_at, run, lease, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) WHERE status <> 'dead' DO NOTHING`;
const GROUP_WAITS = 'SELECT 1 AS one FROM job_groups WHERE type = ? AND name = ?';
/** Jobs under their leases, for `changeHeld`. The list comes first: each of its jobs is one look by its id. */
const HELD = `id IN (
    SELECT jobs.id FROM json_each(?) named CROSS JOIN jobs
    ON jobs.id = named.value ->> 0 AND lease = named.value ->> 1 AND status = 'running') RETURNING id, lease`;
const EXTEND = `UPDATE jobs SET due_at = ? WHERE ${HELD}`;
const RECOUNT = `UPDATE jobs SET run = run + ? WHERE ${HELD}`;
/** Leases of one write, a few milliseconds. */
const LEASES = 256;
/**
 * Of a queued job of a group. The turn is missing if a process died before it gave it, and too late if the clock was set wrong.
 */
const TURN_OF = `SELECT type, job_group AS "group", run_at AS runAt FROM jobs
  WHERE key = ? AND status <> 'dead' AND status = 'queued' AND job_group IS NOT NULL`;
const END_LEASES = "UPDATE jobs SET due_at = min(due_at, ?) WHERE status = 'running'";
const BRING_FORWARD = `UPDATE jobs SET run_at = max(now, run_at - max(by, created_at - now)), created_at = min(created_at, now)
  FROM (SELECT ? AS now, ? AS by, ? AS latest)
  WHERE status = 'queued' AND run_at > now AND (by > 0 OR created_at > latest) RETURNING type, job_group AS "group", run_at AS runAt`;
const FENCED = "id = ? AND lease = ? AND status = 'running'";

/** Ids of jobs that may be claimed; the turns of their groups are given to the next ones. */
function claimable(sql: Sql, types: readonly ClaimedJob['type'][], limit: number, now: number): readonly number[] {
  const due = types.flatMap((type) =>
    [QUEUED, EXPIRED].flatMap((query) => sql.all<Candidate>(query, type, now, limit)),
  );
  due.sort((a, b) => a.runAt - b.runAt || a.id - b.id);
  const groups = readyGroups(sql, types, limit, now);
  // An equal share for each group, and one for the jobs of no group.
  const own = due.slice(0, groups.length === 0 ? limit : Math.ceil(limit / (groups.length + 1)));
  return [...own, ...takeTurns(sql, groups, limit - own.length, now)].map(({ id }) => id);
}

function isAnyDue(sql: Sql, type: ClaimedJob['type'], now: number): boolean {
  const isOwnDue = [QUEUED, EXPIRED].some((query) => sql.get(query, type, now, 1) !== undefined);
  return isOwnDue || readyGroups(sql, [type], 1, now).length > 0;
}

/** Says which new jobs are claimed with their enqueueing: no more than wanted, and none before a job that waits already. */
function createClaimsAtOnce(sql: Sql, now: number, claim: ClaimAtOnce | undefined) {
  const left = new Map(claim?.limits);
  for (const type of left.keys()) if (isAnyDue(sql, type, now)) left.delete(type);
  const waiting = new Map<string, boolean>();

  function isGroupWaiting(type: NewJob['type'], group: string): boolean {
    const name = `${type} ${group}`;
    const known = waiting.get(name) ?? sql.get(GROUP_WAITS, type, group) !== undefined;
    waiting.set(name, known);
    return known;
  }

  return {
    leaseFor({ type, group }: NewJob, runAt: number): Date | null {
      if (claim === undefined || runAt > now || (left.get(type) ?? 0) <= 0) return null;
      return group !== undefined && isGroupWaiting(type, group) ? null : claim.leaseUntil;
    },
    count(type: NewJob['type']): void {
      left.set(type, (left.get(type) ?? 0) - 1);
    },
  };
}

function toClaimed({ payload, dueAt, createdAt, ...row }: JobRow): ClaimedJob {
  return { ...row, payload: fromJson<unknown>(payload), leaseUntil: toDate(dueAt), createdAt: toDate(createdAt) };
}

type Held = Pick<ClaimedJob, 'id' | 'lease'>;

/** Runs a statement on jobs under their leases. @returns for each job whether its lease was held */
function changeHeld(sql: Sql, text: string, values: readonly Value[], jobs: readonly Held[]): readonly boolean[] {
  // As JSON, `true` would be 1.
  const valid = jobs.filter(({ id, lease }) => Number.isSafeInteger(id) && Number.isSafeInteger(lease));
  const rows = sql.all<Held>(text, ...values, JSON.stringify(valid.map(({ id, lease }) => [id, lease])));
  // By both: a job may be named under an older lease, too.
  const leases = new Map(rows.map(({ id, lease }) => [id, lease]));
  return jobs.map(({ id, lease }) => leases.get(id) === lease);
}

export function createJobStore(connection: Connection): JobStore {
  /** In pieces: a heartbeat names every job of its process. @returns the ids of those whose lease was held */
  async function change(text: string, value: number, jobs: readonly ClaimedJob[]): Promise<readonly number[]> {
    const ids: number[] = [];
    for (const some of pieces(jobs, LEASES)) {
      const held = await connection.write((sql) => changeHeld(sql, text, [value], some));
      ids.push(...some.filter((_, at) => held[at]).map(({ id }) => id));
    }
    return ids;
  }

  return {
    enqueue: (jobs, now, claim) =>
      connection.write((sql): ClaimedJob[] => {
        const claims = createClaimsAtOnce(sql, millis(now), claim);
        const latestPause = millis(now) + LONGEST_PAUSE_MS;
        const claimed: ClaimedJob[] = [];
        const turns = new Map<string, { readonly type: NewJob['type']; readonly group: string; runAt: number }>();
        for (const job of jobs) {
          const { type, key, payload, group = null } = job;
          const runAt = millis(job.runAt ?? now);
          const leaseUntil = claims.leaseFor(job, runAt);
          const [status, dueAt, run] = leaseUntil === null ? ['queued', runAt, 0] : ['running', millis(leaseUntil), 1];
          const text = JSON.stringify(payload);
          const { changes, id } = sql.run(INSERT, type, key, text, group, status, runAt, dueAt, run, run, millis(now));
          if (changes === 0) {
            const turn = sql.get<Turn>(TURN_OF, key);
            if (turn?.group != null) giveTurn(sql, turn.type, turn.group, turn.runAt, latestPause);
            continue;
          }
          if (leaseUntil !== null) {
            claims.count(type);
            claimed.push({
              id,
              type,
              key,
              payload: fromJson<unknown>(text),
              group,
              run: 1,
              lease: 1,
              leaseUntil,
              createdAt: now,
            });
          } else if (group !== null) {
            const turn = turns.get(`${type} ${group}`) ?? { type, group, runAt };
            turns.set(`${type} ${group}`, turn);
            turn.runAt = Math.min(turn.runAt, runAt);
          }
        }
        for (const { type, group, runAt } of turns.values()) giveTurn(sql, type, group, runAt, latestPause);
        return claimed;
      }),

    claim: (types, limit, now, leaseUntil) =>
      connection.write((sql): ClaimedJob[] => {
        const ids = claimable(sql, types, limit, millis(now));
        if (ids.length === 0) return [];
        const rows = sql.all<JobRow>(CLAIM, millis(leaseUntil), JSON.stringify(ids));
        const byId = new Map(rows.map((row) => [row.id, row]));
        return ids.flatMap((id) => byId.get(id) ?? []).map(toClaimed);
      }),

    extend: async (jobs, leaseUntil) => change(EXTEND, millis(leaseUntil), jobs),

    recount: async (jobs, by) => change(RECOUNT, by, jobs),

    complete: ({ id, lease }) =>
      connection.write((sql) => sql.run(`DELETE FROM jobs WHERE ${FENCED}`, id, lease).changes > 0),

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
        if (changes > 0 && job.group !== null) giveTurn(sql, job.type, job.group, millis(runAt));
        return changes > 0;
      }),

    pause: (job, until, now) =>
      connection.write((sql) => {
        const queued = sql.get<{ runAt: number }>(
          `UPDATE jobs SET status = 'queued', due_at = run_at, run = run - 1 WHERE ${FENCED} RETURNING run_at AS runAt`,
          job.id,
          job.lease,
        );
        if (queued === undefined) return false;
        if (job.group !== null) {
          giveTurn(sql, job.type, job.group, queued.runAt);
          pauseGroup(sql, job.type, job.group, millis(until), millis(now));
        }
        return true;
      }),

    deadLetter: (job, error, now) =>
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

    remove: (key) =>
      connection.write((sql) => {
        const { changes } = sql.run("DELETE FROM jobs WHERE key = ? AND status <> 'dead'", key);
        return changes > 0;
      }),

    afterSetBack: (now, leaseUntil, byMs) =>
      connection.write((sql) => {
        sql.run(END_LEASES, millis(leaseUntil));
        const at = millis(now);
        for (const { type, group, runAt } of sql.all<Turn>(BRING_FORWARD, at, integer(byMs), at + CLOCKS_DIFFER_MS))
          if (group !== null) giveTurn(sql, type, group, runAt, at + LONGEST_PAUSE_MS);
      }),

    nextDue: (types) =>
      connection.read((sql) => {
        const at = sql.get<{ at: number | null }>(NEXT_DUE, JSON.stringify(types))?.at ?? null;
        return at === null || at === Number.MAX_SAFE_INTEGER ? null : toDate(at);
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

/**
 * Turns of groups of jobs. A group with queued jobs has one row, which says when its next job may be claimed. A claim reads
 * the groups that are ready and the front of each, and never the backlog of a group.
 */
import type { JobType } from '../../core/ports/job-queue.ts';
import type { Sql } from './statements.ts';

/** A job that may be claimed. */
export interface Candidate {
  readonly id: number;
  readonly runAt: number;
}

interface Group {
  readonly type: JobType;
  readonly name: string;
  readonly readyAt: number;
}

const READY =
  'SELECT name, ready_at AS readyAt FROM job_groups WHERE type = ? AND ready_at <= ? ORDER BY ready_at LIMIT ?';
const FRONT = `SELECT id, run_at AS runAt FROM jobs WHERE type = ? AND job_group = ? AND status = 'queued'
  ORDER BY run_at, id LIMIT ?`;
const GIVE_TURN = `INSERT INTO job_groups (type, name, turn_at, paused_until) VALUES (?, ?, ?, 0)
  ON CONFLICT (type, name) DO UPDATE SET turn_at = min(turn_at, excluded.turn_at), paused_until = min(paused_until, ?)
    WHERE excluded.turn_at < turn_at OR paused_until > ?`;
const PAUSE = `UPDATE job_groups SET paused_until = ?
  WHERE type = ? AND name = ? AND (paused_until <= ? OR paused_until > ?)`;

/** Groups whose turn has come, those that wait longest first. */
export function readyGroups(sql: Sql, types: readonly JobType[], limit: number, now: number): readonly Group[] {
  return types
    .flatMap((type) =>
      sql.all<Omit<Group, 'type'>>(READY, type, now, limit).map((group): Group => ({ ...group, type })),
    )
    .sort((a, b) => a.readyAt - b.readyAt)
    .slice(0, limit);
}

/** Takes due jobs off the fronts of the groups, an equal share each, and moves the turns of those groups on. */
export function takeTurns(sql: Sql, groups: readonly Group[], limit: number, now: number): readonly Candidate[] {
  const taken: Candidate[] = [];
  groups.forEach(({ type, name }, index) => {
    const share = Math.ceil((limit - taken.length) / (groups.length - index));
    if (share === 0) return;
    // One more than can be taken: the group's next turn.
    const front = sql.all<Candidate>(FRONT, type, name, share + 1);
    const due = front.slice(0, share).filter(({ runAt }) => runAt <= now);
    taken.push(...due);
    const next = front[due.length];
    // Behind the groups that wait already.
    if (next !== undefined) setTurn(sql, type, name, Math.max(next.runAt, now));
    else sql.run('DELETE FROM job_groups WHERE type = ? AND name = ?', type, name);
  });
  return taken;
}

function setTurn(sql: Sql, type: JobType, name: string, at: number): void {
  sql.run('UPDATE job_groups SET turn_at = ? WHERE type = ? AND name = ?', at, type, name);
}

/** Makes sure that a group's turn comes no later than `at`, unless the group is paused, and that no pause ends after `latest`. */
export function giveTurn(sql: Sql, type: JobType, name: string, at: number, latest = Number.MAX_SAFE_INTEGER): void {
  sql.run(GIVE_TURN, type, name, at, latest, latest);
}

/** Pauses a group that has a row; a pause that is over sooner stays. */
export function pauseGroup(sql: Sql, type: JobType, name: string, until: number, now: number): void {
  sql.run(PAUSE, until, type, name, now, until);
}

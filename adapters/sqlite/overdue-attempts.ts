/** Attempts that are overdue, by id. Found in pieces: after an outage, or at the end of a campaign, they may be many. */
import { PENDING_GRACE_MS, VERIFICATION_WINDOW_MS } from '../../core/engagement/attempts/deadline.ts';
import { BEING_VERIFIED, OPEN } from './attempt-states.ts';
import type { Connection } from './database.ts';

/** Index entries that one turn of the event loop reads, about a millisecond. */
const PIECE = 1_000;

// The conditions repeat those of the partial indexes. What is being verified is told apart afterwards, so that a piece is bounded.
// The claims of a campaign may all end at one time: SQLite seeks behind an id only if the time is given.
const CLAIMS = `SELECT id, verification_deadline AS deadline, ${BEING_VERIFIED} AS isBeingVerified FROM attempts WHERE ${OPEN}`;
const AT_DEADLINE = `${CLAIMS} AND verification_deadline = ? AND id > ? ORDER BY id LIMIT ?`;
const BY_DEADLINE = `${CLAIMS} AND verification_deadline > ? AND verification_deadline < ?
  ORDER BY verification_deadline, id LIMIT ?`;
const ENDED = `SELECT h.id, c.ends_at AS endsAt FROM campaigns c JOIN challenges h ON h.campaign_id = c.id
  WHERE c.ends_at >= ? AND c.ends_at < ?`;
const OF_CHALLENGE = `SELECT id, ${BEING_VERIFIED} AS isBeingVerified FROM attempts
  WHERE challenge_id = ? AND verification_deadline IS NOT NULL AND ${OPEN} AND id > ? ORDER BY id LIMIT ?`;

interface Claim {
  readonly id: number;
  readonly isBeingVerified: number;
}

interface ByDeadline extends Claim {
  readonly deadline: number;
}

interface Ended {
  readonly id: number;
  readonly endsAt: number;
}

type LookUp = Pick<Connection, 'lookUp'>;

/** The ids of the first `limit` attempts that are overdue at `now`, behind `afterId`. It may be off by what changes meanwhile. */
export async function overdueIds(
  connection: LookUp,
  now: number,
  limit: number,
  afterId: number,
): Promise<readonly number[]> {
  const patient = now - PENDING_GRACE_MS;
  let first: readonly number[] = [];
  const keep = (ids: readonly number[]) => {
    if (ids.length > 0) first = [...new Set([...first, ...ids])].sort((one, other) => one - other).slice(0, limit);
  };
  for await (const claims of byDeadline(connection, now)) {
    const due = claims.filter((each) => each.isBeingVerified === 0 || each.deadline <= patient);
    keep(due.map(({ id }) => id).filter((id) => id > afterId));
  }
  // A campaign's end counts while deadlines set before it may be later.
  const ended = await connection.lookUp((sql) => sql.all<Ended>(ENDED, patient - VERIFICATION_WINDOW_MS, now));
  for await (const ids of ofEnded(connection, ended, patient, limit, afterId)) keep(ids);
  return first;
}

async function* byDeadline(connection: LookUp, now: number): AsyncGenerator<readonly ByDeadline[]> {
  let [deadline, id] = [Number.MIN_SAFE_INTEGER, 0];
  for (;;) {
    const claims = await connection.lookUp((sql) => {
      const together = sql.all<ByDeadline>(AT_DEADLINE, deadline, id, PIECE);
      return [...together, ...sql.all<ByDeadline>(BY_DEADLINE, deadline, now, PIECE - together.length)];
    });
    yield claims;
    const last = claims.at(-1);
    if (last === undefined || claims.length < PIECE) return;
    [deadline, id] = [last.deadline, last.id];
  }
}

/** Of each challenge the first `limit`: an index has them by id. */
async function* ofEnded(
  connection: LookUp,
  ended: readonly Ended[],
  patient: number,
  limit: number,
  afterId: number,
): AsyncGenerator<readonly number[]> {
  let [at, after, found] = [0, afterId, 0];
  while (at < ended.length) {
    yield await connection.lookUp((sql) => {
      const ids: number[] = [];
      for (let left = PIECE; left > 0; ) {
        const challenge = ended[at];
        if (challenge === undefined) break;
        const claims = sql.all<Claim>(OF_CHALLENGE, challenge.id, after, left);
        const due = claims.filter(({ isBeingVerified }) => isBeingVerified === 0 || challenge.endsAt <= patient);
        ids.push(...due.map(({ id }) => id));
        found += due.length;
        after = claims.at(-1)?.id ?? after;
        if (claims.length < left || found >= limit) [at, after, found] = [at + 1, afterId, 0];
        // Also the look itself takes time.
        left -= claims.length + 10;
      }
      return ids;
    });
  }
}

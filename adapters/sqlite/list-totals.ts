/**
 * The number of rows of each list that is read in pages, kept in the transaction that changes the rows. Triggers do that:
 * they see every statement, cascade and process. Jobs, added comments and added deliveries are counted by the writes that
 * change them (`countChanged`). They come by the hundred, and for a trigger SQLite keeps a journal for each: a third of the time
 * of storing one.
 */
import type { Sql } from './statements.ts';
import type { Value } from './values.ts';

export type CountedList =
  | 'campaigns'
  | 'social_accounts'
  | 'comments'
  | 'likers'
  | 'deliveries'
  | 'subscriber_deliveries'
  | 'jobs';

export interface ListTotal {
  readonly total: number;
  /** Grows with every row that is added or removed, so that equal numbers mean equal lists. */
  readonly changes: number;
}

const NONE: ListTotal = { total: 0, changes: 0 };

/** The total of a list: `all` campaigns, `active` accounts, comments by challenge, likers by fetch, deliveries by webhook or subscriber, jobs by `live` or `dead`. */
export function totalOf(sql: Sql, list: CountedList, owner: Value): ListTotal {
  const text = 'SELECT total, changes FROM list_totals WHERE list = ? AND owner = ?';
  return sql.get<ListTotal>(text, list, owner) ?? NONE;
}

const CHANGED = `INSERT INTO list_totals (list, owner, total, changes) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET total = total + excluded.total, changes = changes + excluded.changes`;

/**
 * Counts rows that this transaction has added, or removed if `by` is negative: jobs, added comments and added deliveries.
 * Nothing else counts these. The owner is as in `totalOf`.
 */
export function countChanged(sql: Sql, list: 'comments' | 'deliveries' | 'jobs', owner: Value, by: number): void {
  if (by !== 0) sql.run(CHANGED, list, owner, by, Math.abs(by));
}

const added = (list: CountedList, owner: string) =>
  `INSERT INTO list_totals (list, owner, total, changes) VALUES ('${list}', ${owner}, 1, 1)
    ON CONFLICT DO UPDATE SET total = total + 1, changes = changes + 1`;
const removed = (list: CountedList, owner: string) =>
  `UPDATE list_totals SET total = total - 1, changes = changes + 1 WHERE list = '${list}' AND owner = ${owner}`;

/** Counts the existing rows, and then every row that is added or removed. `owner` is an expression over the row `r`. */
function counted(list: CountedList, owner: string): string {
  const of = (row: 'NEW' | 'OLD') => owner.replaceAll('r.', `${row}.`);
  return `
INSERT INTO list_totals (list, owner, total, changes)
  SELECT '${list}', ${owner} AS owner, count(*), count(*) FROM ${list} AS r GROUP BY owner;
CREATE TRIGGER ${list}_added AFTER INSERT ON ${list} BEGIN ${added(list, of('NEW'))}; END;
CREATE TRIGGER ${list}_removed AFTER DELETE ON ${list} BEGIN ${removed(list, of('OLD'))}; END;`;
}

/** Nothing is left of a list whose owner is gone; its rows follow in pieces. */
const forgotten = (list: CountedList, owners: string) => `
CREATE TRIGGER ${owners}_removed AFTER DELETE ON ${owners} BEGIN
  DELETE FROM list_totals WHERE list = '${list}' AND owner = OLD.id; END;`;

const JOB = "CASE r.status WHEN 'dead' THEN 'dead' ELSE 'live' END";

/** A migration: once released, its text stays as it is. */
export const LIST_TOTALS = `
CREATE TABLE list_totals (
  list TEXT NOT NULL,
  owner ANY NOT NULL,
  total INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  PRIMARY KEY (list, owner)
) STRICT, WITHOUT ROWID;
${counted('campaigns', "'all'")}
${counted('comments', 'r.challenge_id')}
${counted('likers', 'r.fetch_id')}
${counted('deliveries', 'r.webhook_id')}
${counted('subscriber_deliveries', 'r.subscriber')}
${counted('jobs', JOB)}
CREATE TRIGGER jobs_died AFTER UPDATE OF status ON jobs WHEN (OLD.status = 'dead') <> (NEW.status = 'dead') BEGIN
  ${removed('jobs', JOB.replace('r.', 'OLD.'))};
  ${added('jobs', JOB.replace('r.', 'NEW.'))};
END;
${forgotten('comments', 'challenges')}
${forgotten('likers', 'likers_fetches')}
${forgotten('deliveries', 'webhooks')}

CREATE TABLE attempt_totals (
  challenge_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  verified INTEGER NOT NULL,
  points INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  PRIMARY KEY (challenge_id, state)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt_totals (challenge_id, state, attempts, verified, points, changes)
  SELECT challenge_id, state, count(*), count(verified_at), sum(points_awarded), count(*) FROM attempts
    GROUP BY challenge_id, state;
CREATE TRIGGER attempts_added AFTER INSERT ON attempts BEGIN
  INSERT INTO attempt_totals (challenge_id, state, attempts, verified, points, changes)
    VALUES (NEW.challenge_id, NEW.state, 1, NEW.verified_at IS NOT NULL, NEW.points_awarded, 1)
    ON CONFLICT DO UPDATE SET attempts = attempts + 1, verified = verified + excluded.verified,
      points = points + excluded.points, changes = changes + 1;
END;
CREATE TRIGGER attempts_removed AFTER DELETE ON attempts BEGIN
  UPDATE attempt_totals SET attempts = attempts - 1, verified = verified - (OLD.verified_at IS NOT NULL),
      points = points - OLD.points_awarded, changes = changes + 1
    WHERE challenge_id = OLD.challenge_id AND state = OLD.state;
END;
CREATE TRIGGER attempts_moved AFTER UPDATE OF challenge_id, state, verified_at, points_awarded ON attempts
  WHEN (OLD.challenge_id, OLD.state, OLD.verified_at, OLD.points_awarded)
    IS NOT (NEW.challenge_id, NEW.state, NEW.verified_at, NEW.points_awarded)
BEGIN
  UPDATE attempt_totals SET attempts = attempts - 1, verified = verified - (OLD.verified_at IS NOT NULL),
      points = points - OLD.points_awarded, changes = changes + 1
    WHERE challenge_id = OLD.challenge_id AND state = OLD.state;
  INSERT INTO attempt_totals (challenge_id, state, attempts, verified, points, changes)
    VALUES (NEW.challenge_id, NEW.state, 1, NEW.verified_at IS NOT NULL, NEW.points_awarded, 1)
    ON CONFLICT DO UPDATE SET attempts = attempts + 1, verified = verified + excluded.verified,
      points = points + excluded.points, changes = changes + 1;
END;
`;

/** A migration. */
export const COMMENTS_COUNTED_BY_WRITERS = 'DROP TRIGGER comments_added;';

/** A migration: a delivery that succeeds is one row added, and its job one row added and removed. */
export const DELIVERIES_AND_JOBS_COUNTED_BY_WRITERS = `
DROP TRIGGER deliveries_added;
DROP TRIGGER jobs_added;
DROP TRIGGER jobs_removed;
DROP TRIGGER jobs_died;
`;

const LINKS = "list = 'social_accounts' AND owner = 'active'";
const linksChanged = (by: number) =>
  `UPDATE list_totals SET total = total + ${by}, changes = changes + 1 WHERE ${LINKS}`;

/** A migration: the active links of creators, which end and begin again. */
export const ACTIVE_LINKS = `
INSERT INTO list_totals (list, owner, total, changes)
  SELECT 'social_accounts', 'active', count(*), count(*) FROM social_accounts WHERE disconnected_at IS NULL;
CREATE TRIGGER social_accounts_added AFTER INSERT ON social_accounts WHEN NEW.disconnected_at IS NULL BEGIN
  ${linksChanged(1)};
END;
CREATE TRIGGER social_accounts_removed AFTER DELETE ON social_accounts WHEN OLD.disconnected_at IS NULL BEGIN
  ${linksChanged(-1)};
END;
CREATE TRIGGER social_accounts_ended AFTER UPDATE OF disconnected_at ON social_accounts
  WHEN OLD.disconnected_at IS NULL AND NEW.disconnected_at IS NOT NULL
BEGIN
  ${linksChanged(-1)};
END;
CREATE TRIGGER social_accounts_begun AFTER UPDATE OF disconnected_at ON social_accounts
  WHEN OLD.disconnected_at IS NOT NULL AND NEW.disconnected_at IS NULL
BEGIN
  ${linksChanged(1)};
END;
`;

import { pieces } from '../../core/bulk.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryCounts,
  type DeliveryTarget,
  type DeliveryTry,
} from '../../core/engagement/webhooks/webhook.ts';
import { gathered } from '../../core/gather.ts';
import { parseJson } from '../../core/json-reader.ts';
import { type DeliveryFilter, type DeliveryStore, HEALTH_OF, KEPT_TRIES } from '../../core/ports/webhook-store.ts';
import { targetValue } from './columns.ts';
import { countByTime } from './count-by-time.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { all, type Condition, equals, readPage, when } from './pages.ts';
import { ROWS_A_STATEMENT } from './table.ts';
import { DELIVERIES, SUBSCRIPTIONS, WEBHOOKS } from './tables.ts';
import { BULK_ROWS, integer, millis, writeMany } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

const keptTries = (tries: readonly DeliveryTry[]) => tries.slice(-KEPT_TRIES);

function isThere(sql: Sql, target: DeliveryTarget): Work<boolean> {
  return typeof target === 'number'
    ? WEBHOOKS.holds(sql, 'id = ?', target)
    : SUBSCRIPTIONS.holds(sql, 'subscriber = ?', target);
}

/** Stores those that are new, without those of targets that are gone. */
function* createDeliveries(sql: Sql, given: readonly Omit<Delivery, 'id'>[]): Work<readonly Delivery[]> {
  const there = new Set<DeliveryTarget>();
  for (const target of new Set(given.map((delivery) => delivery.target))) {
    if (yield* isThere(sql, target)) there.add(target);
  }
  const wanted = given.filter(({ target }) => there.has(target));
  const rows = wanted.map((delivery) => ({ ...delivery, tries: keptTries(delivery.tries) }));
  const made = yield* DELIVERIES.insertNew(sql, rows, '(message_id, target)');
  const stored = new Map(made.map((delivery) => [keyOf(delivery), delivery]));
  for (const { messageId, target } of wanted) {
    if (stored.has(keyOf({ messageId, target }))) continue;
    const of = 'WHERE message_id = ? AND target = ?';
    const earlier = yield* DELIVERIES.find(sql, of, messageId, targetValue(target));
    if (earlier !== null) stored.set(keyOf(earlier), earlier);
  }
  return wanted.flatMap((delivery) => stored.get(keyOf(delivery)) ?? []);
}

const keyOf = ({ messageId, target }: Pick<Delivery, 'messageId' | 'target'>) => JSON.stringify([messageId, target]);

interface EndedTry {
  readonly id: number;
  readonly one: DeliveryTry;
  readonly status: Delivery['status'];
  /** `nextTryAt` and `finishedAt`. */
  readonly times: readonly (number | null)[];
}

const OPEN = `SELECT id, tries FROM deliveries WHERE id IN (?) AND status = 'pending'
  ORDER BY id FOR UPDATE`;
const ENDED = '(CAST(? AS BIGINT), ?, CAST(? AS BIGINT), CAST(? AS BIGINT), ?)';

/** Tries of one moment in few statements. Of several of one delivery, those after its end change nothing. */
function* recordTries(sql: Sql, ended: readonly EndedTry[]): Work<ReadonlyMap<EndedTry, boolean>> {
  const ids = new Among(ended.map(({ id }) => id));
  const open = new Map((yield* sql.all<{ id: number; tries: string }>(OPEN, ids)).map((row) => [row.id, row.tries]));
  const last = new Map<number, EndedTry>();
  const recorded = new Map<EndedTry, boolean>();
  for (const each of ended) {
    const tries = open.get(each.id);
    if (tries === undefined || (last.get(each.id)?.status ?? 'pending') !== 'pending') continue;
    const earlier = parseJson(tries) as readonly DeliveryTry[];
    open.set(each.id, JSON.stringify(keptTries([...earlier, each.one])));
    last.set(each.id, each);
    recorded.set(each, true);
  }
  for (const some of pieces([...last.values()], ROWS_A_STATEMENT)) {
    const text = `WITH ended (id, status, next_try_at, finished_at, tries) AS (VALUES ${some.map(() => ENDED).join(', ')})
      UPDATE deliveries SET status = ended.status, next_try_at = ended.next_try_at, finished_at = ended.finished_at,
        tries = ended.tries FROM ended WHERE deliveries.id = ended.id`;
    yield* sql.run(text, ...some.flatMap(({ id, status, times }) => [id, status, ...times, open.get(id) ?? '']));
  }
  return recorded;
}

function filtered(target: DeliveryTarget, filter: DeliveryFilter): Condition {
  const { status, event, brandId, failedSince, exceptEvents = [] } = filter;
  return all(
    equals({ target: targetValue(target), status, event, brand_id: brandId }),
    failedSince && when("status = 'failed' AND finished_at >= ?", millis(failedSince)),
    except(exceptEvents),
  );
}

const except = (events: readonly string[]) => all(...events.map((event) => when('event <> ?', event)));

const CANCEL_SOME = `UPDATE deliveries SET status = 'cancelled', next_try_at = NULL, finished_at = ? WHERE id IN (
    SELECT id FROM deliveries WHERE target = ? AND status = 'pending' LIMIT ${BULK_ROWS} FOR UPDATE)`;
// Only what is pending is read beside the index.
const HEALTH = `SELECT count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE of_tries > 2) AS retrying
  FROM (SELECT status, CASE status WHEN 'pending' THEN octet_length(tries) ELSE 0 END AS of_tries FROM deliveries
    WHERE target = ? ORDER BY id DESC LIMIT ${HEALTH_OF}) AS newest`;

const BY_STATUS = Object.fromEntries(
  DELIVERY_STATUSES.map((status) => [status, `count(*) FILTER (WHERE status = '${status}')`]),
);

export function createDeliveryStore(connection: SqlConnection): DeliveryStore {
  const recordTry = gathered((ended: readonly EndedTry[]) => connection.write((sql) => recordTries(sql, ended)));
  return {
    ...dueDeliveries(connection),

    async createMany(deliveries) {
      const stored = await writeMany(connection, deliveries, createDeliveries);
      if (stored.length > 0) connection.tell?.(['deliveries']);
      return stored;
    },

    find: (id) => connection.read((sql) => DELIVERIES.find(sql, 'WHERE id = ?', id)),

    async recordTry(id, one, { status, nextTryAt, finishedAt }) {
      const times = [nextTryAt, finishedAt].map((time) => time && millis(time));
      return (await recordTry({ id: integer(id), one, status, times })) ?? false;
    },

    async cancelPending(target, now) {
      const at = millis(now);
      for (let cancelled = 0; ; ) {
        const some = await connection.statement((sql) => sql.run(CANCEL_SOME, at, targetValue(target)));
        cancelled += some;
        if (some < BULK_ROWS) return cancelled;
      }
    },

    search: (which, limit) =>
      connection.read((sql) => {
        const tail = 'ORDER BY id DESC LIMIT ?';
        if ('attemptIds' in which) {
          const ids = new Among(which.attemptIds.filter(Number.isSafeInteger));
          return DELIVERIES.select(sql, `WHERE attempt_id IN (?) ${tail}`, ids, limit);
        }
        const to = `${which.messageId}\u{10FFFF}`;
        return DELIVERIES.select(sql, `WHERE message_id >= ? AND message_id < ? ${tail}`, which.messageId, to, limit);
      }),

    replay: (webhookId, which, now) =>
      connection.statement((sql) => {
        const { where, values } = filtered(webhookId, which);
        const failed = `SELECT id FROM deliveries WHERE ${where} ORDER BY finished_at, id LIMIT ${BULK_ROWS}`;
        const text = `UPDATE deliveries SET status = 'pending', next_try_at = ?, replayed_at = ?, finished_at = NULL, lease = 0
          WHERE status = 'failed' AND id IN (${failed})`;
        return sql.run(text, millis(now), millis(now), ...values);
      }),

    health: (webhookIds) =>
      connection.read(function* (sql) {
        const health = new Map<number, DeliveryCounts>();
        for (const id of webhookIds) {
          const counts = yield* sql.get<DeliveryCounts>(HEALTH, targetValue(id));
          if (counts !== undefined) health.set(id, counts);
        }
        return health;
      }),

    list: (target, page, filter = {}) =>
      connection.read((sql) => readPage(sql, DELIVERIES, '-id', filtered(target, filter), page)),

    series: (target, range, { exceptEvents = [] } = {}) =>
      countByTime(connection, range, {
        table: 'deliveries',
        within: equals({ target: targetValue(target) }),
        time: 'created_at',
        only: except(exceptEvents),
        counts: BY_STATUS,
      }),
  };
}

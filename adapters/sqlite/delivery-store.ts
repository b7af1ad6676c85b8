import { pieces } from '../../core/bulk.ts';
import type { Delivery } from '../../core/engagement/webhooks/webhook.ts';
import type { Waiting } from '../../core/ports/waiting.ts';
import type { DeliveryStore, StoredDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection, Sql } from './database.ts';
import { countInPieces, deliveryLists } from './delivery-lists.ts';
import {
  CANCELLED,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  INSERTED_COLUMNS,
  insertedValues,
  keptTries,
  TRIED,
  toDelivery,
  triedValues,
} from './delivery-rows.ts';
import { gatheredFind } from './gathered-find.ts';
import { gatheredWrite } from './gathered-write.ts';
import { countChanged, totalOf } from './list-totals.ts';
import { readNarrowed } from './narrowed-list.ts';
import type { Pages } from './pages.ts';
import { BULK_ROWS, millis, pageOf, type Value } from './values.ts';
import { behind, toWaiting, type WaitingRow } from './waiting.ts';
import { writeInPieces } from './write-in-pieces.ts';

const COLUMNS = `${DELIVERY_COLUMNS}, webhook_id AS webhookId`;

const listOf = deliveryLists(`SELECT ${COLUMNS} FROM deliveries`, 'deliveries', 'webhook_id');

/** As many rows as are worth one statement. */
const ROWS = 25;
const insertOf = (rows: number) => `INSERT INTO deliveries (${INSERTED_COLUMNS}, webhook_id)
  VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
  ON CONFLICT (message_id, webhook_id) DO NOTHING`;
const [INSERT, INSERT_ROWS] = [insertOf(1), insertOf(ROWS)];
/** Deliveries that one write creates: some milliseconds. */
const CREATED_TOGETHER = 4 * ROWS;
const LAST_ID = 'SELECT coalesce(max(id), 0) AS id FROM deliveries';
const RECORD_TRY = `UPDATE deliveries SET ${TRIED} WHERE id = ? AND status = 'pending'`;

interface WebhookRow extends DeliveryRow {
  readonly webhookId: number;
}

function select(sql: Sql, rest: string, ...values: readonly Value[]): Delivery[] {
  return sql.all<WebhookRow>(`SELECT ${COLUMNS} FROM deliveries ${rest}`, ...values).map(toDelivery);
}

function valuesOf(delivery: Omit<Delivery, 'id'>): readonly Value[] {
  return [...insertedValues(delivery), delivery.webhookId];
}

const PRESENT = 'SELECT id FROM webhooks WHERE id IN (SELECT value FROM json_each(?))';

/** Those whose webhook is still there. */
function receivable(sql: Sql, deliveries: readonly Omit<Delivery, 'id'>[]): readonly Omit<Delivery, 'id'>[] {
  const wanted = new Set(deliveries.map(({ webhookId }) => webhookId));
  const present = new Set(sql.all<{ readonly id: number }>(PRESENT, JSON.stringify([...wanted])).map(({ id }) => id));
  return deliveries.filter(({ webhookId }) => present.has(webhookId));
}

/** Stores those that are new, and counts them. In one transaction: no webhook is deleted meanwhile. */
export function createDeliveries(sql: Sql, given: readonly Omit<Delivery, 'id'>[]): readonly StoredDelivery[] {
  const deliveries = receivable(sql, given);
  const last = sql.get<{ readonly id: number }>(LAST_ID)?.id ?? 0;
  const stored = [...pieces(deliveries, ROWS)]
    .flatMap((some) => create(sql, some))
    .map((one): StoredDelivery => ({ ...one, isNew: one.id > last }));
  // By id: one that comes twice is stored once.
  const added = new Map(stored.filter(({ isNew }) => isNew).map(({ id, webhookId }) => [id, webhookId]));
  for (const [webhookId, { length }] of Map.groupBy(added.values(), (id) => id)) {
    countChanged(sql, 'deliveries', webhookId, length);
  }
  return stored;
}

/** In one statement, if all of them are new. */
function create(sql: Sql, deliveries: readonly Omit<Delivery, 'id'>[]): readonly Delivery[] {
  if (deliveries.length === ROWS) {
    const { changes, id } = sql.run(INSERT_ROWS, ...deliveries.flatMap(valuesOf));
    // The ids of one statement follow each other, since none is ever used again.
    if (changes === ROWS)
      return deliveries.map((one, at) => ({ ...one, id: id - ROWS + 1 + at, tries: keptTries(one) }));
  }
  return deliveries.map((delivery) => createOne(sql, delivery));
}

function createOne(sql: Sql, delivery: Omit<Delivery, 'id'>): Delivery {
  const { changes, id } = sql.run(INSERT, ...valuesOf(delivery));
  if (changes > 0) return { ...delivery, id, tries: keptTries(delivery) };
  const [stored] = select(sql, 'WHERE message_id = ? AND webhook_id = ?', delivery.messageId, delivery.webhookId);
  if (stored === undefined) throw new Error('A delivery that is already there is missing.');
  return stored;
}

const HAS_EVENT = 'SELECT 1 FROM deliveries WHERE webhook_id = ? AND event = ? LIMIT 1';

/** Those of the events of which a webhook has deliveries. */
function eventsOf(webhookId: number, events: readonly string[]) {
  return (sql: Sql) => events.filter((event) => sql.get(HAS_EVENT, webhookId, event) !== undefined);
}

const BY_IDS = `SELECT ${COLUMNS} FROM deliveries WHERE id IN (SELECT value FROM json_each(?))`;

const CANCEL_SOME = `UPDATE deliveries SET ${CANCELLED} WHERE id IN (
    SELECT id FROM deliveries WHERE webhook_id = ? AND status = 'pending' LIMIT ${BULK_ROWS})`;

type Overdue = Waiting & Pick<Delivery, 'webhookId'>;
type OverdueRow = WaitingRow<Overdue>;
type WindowEnd = WaitingRow<Waiting>;

/** Index entries that one turn of the event loop reads. Those of paused webhooks may be many, and are passed over. */
const WINDOW = 5_000;
const PENDING =
  "FROM deliveries WHERE status = 'pending' AND (next_try_at, id) > (?, ?) AND (next_try_at, id) <= (?, ?)";
const WINDOW_END = `SELECT id, next_try_at AS since ${PENDING} ORDER BY next_try_at, id LIMIT 1 OFFSET ${WINDOW - 1}`;
const OVERDUE = `SELECT id, webhook_id AS webhookId, next_try_at AS since ${PENDING}
    AND webhook_id NOT IN (SELECT id FROM webhooks WHERE active = 0)
  ORDER BY next_try_at, id LIMIT ?`;

export function createDeliveryStore(connection: Connection, pages: Pages): DeliveryStore {
  const find = gatheredFind(connection, BY_IDS, (row: WebhookRow): Delivery => toDelivery(row));
  const recordTry = gatheredWrite(connection, (sql, tries: readonly (readonly Value[])[]) =>
    tries.map((values) => sql.run(RECORD_TRY, ...values).changes > 0),
  );
  return {
    createMany: (deliveries) => writeInPieces(connection, deliveries, CREATED_TOGETHER, createDeliveries),

    find,

    recordTry: async (id, one, outcome) => recordTry([...triedValues(one, outcome), id]),

    async cancelPending(webhookId, now) {
      const at = millis(now);
      for (let cancelled = 0; ; ) {
        const some = await connection.write((sql) => sql.run(CANCEL_SOME, at, webhookId).changes);
        cancelled += some;
        if (some < BULK_ROWS) return cancelled;
      }
    },

    pendingOf: (webhookId, afterId, limit) =>
      connection.read((sql) =>
        sql.all<Pick<Delivery, 'id' | 'webhookId'>>(
          `SELECT id, webhook_id AS webhookId FROM deliveries WHERE webhook_id = ? AND status = 'pending' AND id > ? ORDER BY id LIMIT ?`,
          webhookId,
          afterId,
          limit,
        ),
      ),

    async overdue(before, limit, after) {
      const found: OverdueRow[] = [];
      const newest = [millis(before) - 1, Number.MAX_SAFE_INTEGER];
      for (let from = behind(after); ; ) {
        const { rows, last } = await connection.read((sql) => {
          const last = sql.get<WindowEnd>(WINDOW_END, ...from, ...newest);
          const to = last === undefined ? newest : [last.since, last.id];
          return { rows: sql.all<OverdueRow>(OVERDUE, ...from, ...to, limit - found.length), last };
        });
        found.push(...rows);
        if (last === undefined || found.length >= limit) return found.map((row) => toWaiting<Overdue>(row));
        from = [last.since, last.id];
      }
    },

    async listByWebhook(webhookId, page, { exceptEvents = [], ...filter } = {}) {
      const filtered = listOf(webhookId, filter);
      // Most webhooks have none of them.
      const hidden = exceptEvents.length === 0 ? [] : await connection.lookUp(eventsOf(webhookId, exceptEvents));
      const others = [...filtered.others, ...hidden.map((event) => ['event', event, '<>'] as const)];
      if (others.length > 0) {
        return pageOf(
          await readNarrowed<WebhookRow>(connection, filtered.list, { ...filtered, others }, page),
          toDelivery,
        );
      }
      const total = filtered.isWhole ? undefined : await countInPieces(connection, filtered);
      const counted = (sql: Sql) =>
        total === undefined ? totalOf(sql, 'deliveries', webhookId) : { total, changes: Number.NaN };
      return pageOf(await pages.read<WebhookRow>(filtered.list, filtered.values, page, counted), toDelivery);
    },
  };
}

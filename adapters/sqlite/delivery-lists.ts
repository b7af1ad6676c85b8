/** Lists of a webhook's deliveries: all of them, or those with a status or of an event. */
import type { DeliveryFilter } from '../../core/ports/webhook-store.ts';
import type { Connection } from './database.ts';
import type { OrderedList } from './pages.ts';
import type { Value } from './values.ts';

/** Rows that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;

export interface FilteredDeliveries {
  readonly list: OrderedList;
  readonly values: readonly Value[];
}

const CONDITIONS = {
  all: 'webhook_id = ?',
  status: 'webhook_id = ? AND status = ?',
  event: 'webhook_id = ? AND event = ?',
  both: 'webhook_id = ? AND status = ? AND event = ?',
} as const;

/** Makes the lists of a selection, one for each kind of filter. */
export function deliveryLists(select: string) {
  const listOf = (where: string): OrderedList => ({
    select,
    from: 'deliveries',
    where,
    order: ['id'],
    direction: 'DESC',
  });
  const [all, byStatus, byEvent, byBoth] = [
    listOf(CONDITIONS.all),
    listOf(CONDITIONS.status),
    listOf(CONDITIONS.event),
    listOf(CONDITIONS.both),
  ];
  return (webhookId: number, { status, event }: DeliveryFilter): FilteredDeliveries => {
    if (status === undefined && event === undefined) return { list: all, values: [webhookId] };
    if (event === undefined) return { list: byStatus, values: [webhookId, status as string] };
    if (status === undefined) return { list: byEvent, values: [webhookId, event] };
    return { list: byBoth, values: [webhookId, status, event] };
  };
}

/** Counts the rows of a list in pieces, so that other work is not held up. It may be off by what changes meanwhile. */
export async function countInPieces(
  connection: Pick<Connection, 'lookUp'>,
  { list: { from, where }, values }: FilteredDeliveries,
): Promise<number> {
  const text = `SELECT count(*) AS rows, max(id) AS last
    FROM (SELECT id FROM ${from} WHERE ${where} AND id > ? ORDER BY id LIMIT ${PIECE})`;
  for (let total = 0, after = 0; ; ) {
    const piece = await connection.lookUp((sql) =>
      sql.get<{ readonly rows: number; readonly last: number | null }>(text, ...values, after),
    );
    total += piece?.rows ?? 0;
    if (piece === undefined || piece.last === null || piece.rows < PIECE) return total;
    after = piece.last;
  }
}

/** Lists of campaigns: all of them, or what a filter leaves. */
import type { CampaignFilter } from '../../core/ports/campaign-store.ts';
import type { OrderedList } from './pages.ts';
import type { Sql } from './statements.ts';
import { millis, type Value } from './values.ts';

/** Conditions by the time of the question, which is in the place of each `?`. */
const STATES = {
  upcoming: 'is_active = 1 AND starts_at > ? AND ifnull(ends_at > ?, TRUE)',
  running: 'is_active = 1 AND ifnull(starts_at <= ?, TRUE) AND ifnull(ends_at > ?, TRUE)',
  ended: '(is_active = 0 OR ends_at <= ?)',
} as const;

export interface FilteredCampaigns {
  readonly where: string;
  readonly values: readonly Value[];
}

/** The condition of a filter; null if it leaves everything. */
export function filteredCampaigns(filter: CampaignFilter): FilteredCampaigns | null {
  const { brandId, state, createdFrom, createdBefore } = filter;
  const parts: (readonly [string, ...Value[]])[] = [];
  if (brandId !== undefined) parts.push(['brand_id = ?', brandId]);
  if (state !== undefined) {
    const condition = STATES[state.name];
    const times = Array<number>(condition.split('?').length - 1).fill(millis(state.now));
    parts.push([condition, ...times]);
  }
  if (createdFrom !== undefined) parts.push(['created_at >= ?', millis(createdFrom)]);
  if (createdBefore !== undefined) parts.push(['created_at < ?', millis(createdBefore)]);
  if (parts.length === 0) return null;
  return { where: parts.map(([text]) => text).join(' AND '), values: parts.flatMap(([, ...values]) => values) };
}

const lists = new Map<string, OrderedList>();

/** The list of a condition, the same object each time: statements are kept by it. There are some dozen conditions. */
export function listWhere(all: OrderedList, where: string): OrderedList {
  const list = lists.get(where) ?? { ...all, where };
  lists.set(where, list);
  return list;
}

export function countWhere(sql: Sql, { where, values }: FilteredCampaigns): number {
  return (
    sql.get<{ readonly total: number }>(`SELECT count(*) AS total FROM campaigns WHERE ${where}`, ...values)?.total ?? 0
  );
}

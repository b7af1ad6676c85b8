/** Which campaigns a filter leaves. */
import type { CampaignFilter } from '../../core/ports/campaign-store.ts';
import { millis, type Value } from './values.ts';

/** Conditions by the time of the question, which is in the place of each `?`. */
const STATES = {
  upcoming: 'is_active = 1 AND starts_at > ? AND ifnull(ends_at > ?, TRUE)',
  running: 'is_active = 1 AND ifnull(starts_at <= ?, TRUE) AND ifnull(ends_at > ?, TRUE)',
  ended: '(is_active = 0 OR ends_at <= ?)',
} as const;

export function filteredCampaigns({ brandId, state, createdFrom, createdBefore }: CampaignFilter) {
  const parts: (readonly [string, ...Value[]])[] = [['TRUE']];
  if (brandId !== undefined) parts.push(['brand_id = ?', brandId]);
  if (state !== undefined) {
    const condition = STATES[state.name];
    const times = Array<number>(condition.split('?').length - 1).fill(millis(state.now));
    parts.push([condition, ...times]);
  }
  if (createdFrom !== undefined) parts.push(['created_at >= ?', millis(createdFrom)]);
  if (createdBefore !== undefined) parts.push(['created_at < ?', millis(createdBefore)]);
  return { where: parts.map(([text]) => text).join(' AND '), values: parts.flatMap(([, ...values]) => values) };
}

/** Which deliveries of a webhook or a subscriber a filter leaves. */

import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { WebhookDeliveryFilter } from '../../core/ports/webhook-store.ts';
import type { Value } from './values.ts';

type Filter = SubscriberDeliveryFilter & WebhookDeliveryFilter;

export function filteredDeliveries({ status, event, brandId, exceptEvents = [] }: Filter) {
  const parts: (readonly [text: string, value: Value])[] = exceptEvents.map((each) => ['event <> ?', each]);
  if (status !== undefined) parts.push(['status = ?', status]);
  if (event !== undefined) parts.push(['event = ?', event]);
  if (brandId !== undefined) parts.push(['brand_id = ?', brandId]);
  return { where: parts.map(([text]) => ` AND ${text}`).join(''), values: parts.map(([, value]) => value) };
}

/** What the logs of deliveries to webhooks and to subscribers in process have in common. */
import type { DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { WebhookDeliveryFilter } from '../../core/ports/webhook-store.ts';
import { type Condition, equals } from './pages.ts';
import type { Value } from './values.ts';

/** Tries kept of each delivery: the last ones. */
const MAX_TRIES = 20;

export function keptTries(tries: readonly DeliveryTry[]): readonly DeliveryTry[] {
  return tries.slice(-MAX_TRIES);
}

/** Which deliveries of a webhook or a subscriber a filter leaves. */
export function filteredDeliveries(
  owner: Readonly<Record<string, Value>>,
  { status, event, brandId, exceptEvents = [] }: SubscriberDeliveryFilter & WebhookDeliveryFilter,
): Condition {
  const { where, values } = equals({ ...owner, status, event, brand_id: brandId });
  return {
    where: [where, ...exceptEvents.map(() => 'event <> ?')].join(' AND '),
    values: [...values, ...exceptEvents],
  };
}
